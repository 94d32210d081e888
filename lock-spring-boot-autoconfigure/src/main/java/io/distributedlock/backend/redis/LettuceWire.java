package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * One native connection, to all servers where the Redis is a Cluster. It connects again
 * by itself until it is closed.
 *
 * @param connection what it was taken from
 * @param wire the native connection
 */
record LettuceWire(RedisConnection connection, StatefulConnection<byte[], byte[]> wire) {

	@SuppressWarnings("unchecked")
	static LettuceWire open(RedisConnection connection) {
		Object commands = connection.getNativeConnection();
		if (commands instanceof RedisAdvancedClusterAsyncCommands<?, ?> cluster) {
			return new LettuceWire(connection,
					(StatefulConnection<byte[], byte[]>) (StatefulConnection<?, ?>) cluster.getStatefulConnection());
		}
		return new LettuceWire(connection, ((RedisAsyncCommands<byte[], byte[]>) commands).getStatefulConnection());
	}

	/**
	 * Return whether the connection is there, or will be there again by itself.
	 */
	boolean isUsable() {
		return !(this.wire instanceof RedisChannelHandler<?, ?> handler) || !handler.isClosed();
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
			if (script.send()) {
				commands.add(command(wire, script, false));
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
			pending.forEach((script) -> script.fail(RedisFaults.explain(ex)));
		}
	}

	private static AsyncCommand<byte[], byte[], List<Object>> command(StatefulConnection<byte[], byte[]> wire,
			PendingScript script, boolean inFull) {
		ScriptCall call = script.call();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(inFull ? call.script().source() : call.script().sha1())
			.add(call.keys().size())
			.addKeys(call.keys())
			.addValues(call.arguments());
		AsyncCommand<byte[], byte[], List<Object>> command = new AsyncCommand<>(
				new Command<>(inFull ? CommandType.EVAL : CommandType.EVALSHA,
						new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
		script.onTimeout(command::cancel);
		command.whenComplete((answer, fault) -> {
			if (fault == null) {
				script.complete(answer);
			}
			else if (!inFull && !script.isOver() && RedisFaults.isScriptUnknown(fault)) {
				// The server has done nothing: still the same attempt.
				dispatch(wire, command(wire, script, true));
			}
			else {
				script.fail(RedisFaults.explain(fault));
			}
		});
		return command;
	}

	private static <T> void dispatch(StatefulConnection<byte[], byte[]> wire, RedisCommand<byte[], byte[], T> command) {
		wire.dispatch(command);
	}

	void close() {
		this.connection.close();
	}

}
