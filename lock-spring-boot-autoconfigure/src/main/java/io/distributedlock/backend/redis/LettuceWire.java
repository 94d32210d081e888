package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * One native connection, to all servers where the Redis is a Cluster. It connects again
 * by itself until it is closed.
 *
 * @param wire the native connection
 * @param giveBack gives back what it was taken from
 */
record LettuceWire(StatefulConnection<byte[], byte[]> wire, Runnable giveBack) {

	/**
	 * Take the connection that a factory shares.
	 * @param factory the factory
	 */
	@SuppressWarnings("unchecked")
	static LettuceWire shared(LettuceConnectionFactory factory) {
		RedisConnection connection = factory.getConnection();
		Object commands = connection.getNativeConnection();
		StatefulConnection<?, ?> wire = (commands instanceof RedisAdvancedClusterAsyncCommands<?, ?> cluster)
				? cluster.getStatefulConnection() : ((RedisAsyncCommands<?, ?>) commands).getStatefulConnection();
		return new LettuceWire((StatefulConnection<byte[], byte[]>) wire, connection::close);
	}

	/**
	 * Open a connection that nobody shares: a wait for replicas keeps those behind it
	 * waiting.
	 * @param factory the factory, which knows the servers
	 */
	static LettuceWire own(LettuceConnectionFactory factory) {
		if (!(factory.getRequiredNativeClient() instanceof RedisClient client)) {
			throw new LockUnavailableException("lock.redis.min-replica-acks is not possible with a Redis Cluster");
		}
		StatefulRedisConnection<byte[], byte[]> wire = client.connect(ByteArrayCodec.INSTANCE);
		if (factory.getDatabase() != 0) {
			wire.sync().select(factory.getDatabase());
		}
		return new LettuceWire(wire, wire::closeAsync);
	}

	/**
	 * Return whether the connection is there, or will be there again by itself.
	 */
	boolean isUsable() {
		return !(this.wire instanceof RedisChannelHandler<?, ?> handler) || !handler.isClosed();
	}

	/**
	 * Return what the calls with a key share with each other: a connection to a server.
	 * @param key the first key, or {@code null}
	 */
	Object way(byte @Nullable [] key) {
		RedisClusterNode node = (isCluster() && key != null)
				? cluster().getPartitions().getPartitionBySlot(SlotHash.getSlot(key)) : null;
		return (node != null) ? node.getUri() : this.wire;
	}

	/**
	 * Break a connection that has fallen silent.
	 * @param way what {@link #way} has returned
	 * @return {@code false} if that can't be done, and all of this has to be replaced
	 */
	boolean disconnect(Object way) {
		if (way instanceof RedisURI uri) {
			cluster().getConnectionAsync(uri.getHost(), uri.getPort()).thenAccept(LettuceChannels::disconnect);
			return true;
		}
		return LettuceChannels.disconnect(this.wire);
	}

	boolean isCluster() {
		return this.wire instanceof StatefulRedisClusterConnection<?, ?>;
	}

	@SuppressWarnings("unchecked")
	StatefulRedisClusterConnection<byte[], byte[]> cluster() {
		return (StatefulRedisClusterConnection<byte[], byte[]>) this.wire;
	}

	/**
	 * Send what has not timed out, in one flush.
	 * @param pending the calls
	 */
	void send(List<PendingScript> pending) {
		send(this.wire, pending);
	}

	static void send(StatefulConnection<byte[], byte[]> wire, List<PendingScript> pending) {
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>(pending.size());
		for (PendingScript script : pending) {
			if (script.call().send()) {
				commands.addAll(commands(wire, script, false));
			}
		}
		try {
			if (commands.size() == 1) {
				dispatch(wire, commands.get(0));
			}
			else if (!commands.isEmpty()) {
				wire.dispatch(commands);
			}
		}
		catch (RuntimeException ex) {
			pending.forEach((script) -> script.failBy(ex));
		}
	}

	/**
	 * Return the script, and the wait for replicas behind it.
	 */
	private static List<RedisCommand<byte[], byte[], ?>> commands(StatefulConnection<byte[], byte[]> wire,
			PendingScript script, boolean inFull) {
		ScriptCall.Acks acks = script.script().acks();
		if (acks == null) {
			return List.of(command(wire, script, inFull, null));
		}
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(acks.number())
			.add(acks.timeout().toMillis());
		AcksCommand wait = new AcksCommand(args);
		return List.of(command(wire, script, inFull, wait), wait);
	}

	private static AsyncCommand<byte[], byte[], List<Object>> command(StatefulConnection<byte[], byte[]> wire,
			PendingScript script, boolean inFull, @Nullable AcksCommand wait) {
		ScriptCall call = script.script();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(inFull ? call.script().source() : call.script().sha1())
			.add(call.keys().size())
			.addKeys(call.keys())
			.addValues(call.arguments());
		AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
				new Command<>(inFull ? CommandType.EVAL : CommandType.EVALSHA,
						new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
		script.call().onTimeout(command::cancel);
		command.whenComplete((answer, fault) -> {
			if (fault == null && wait != null) {
				wait.whenComplete(
						(number, missing) -> complete(script, answer, wait.isSentAgain() ? null : number, missing));
			}
			else if (fault == null) {
				script.call().complete(answer);
			}
			else if (!inFull && !script.call().isEnded() && RedisFaults.isScriptUnknown(fault)) {
				// The server has done nothing: still the same attempt.
				wire.dispatch(commands(wire, script, true));
			}
			else {
				script.failBy(fault);
			}
		});
		return command;
	}

	private static void complete(PendingScript script, List<Object> answer, @Nullable Long acks,
			@Nullable Throwable missing) {
		if (missing != null) {
			script.failBy(missing);
			return;
		}
		if (acks == null) {
			script.call()
				.fail(new LockUnavailableException("The connection to the Redis of the locks was interrupted while"
						+ " replicas were to acknowledge what it has written"));
			return;
		}
		List<Object> all = new ArrayList<>(answer);
		all.add(acks);
		script.call().complete(all);
	}

	private static <T> void dispatch(StatefulConnection<byte[], byte[]> wire, RedisCommand<byte[], byte[], T> command) {
		wire.dispatch(command);
	}

	void close() {
		this.giveBack.run();
	}

}
