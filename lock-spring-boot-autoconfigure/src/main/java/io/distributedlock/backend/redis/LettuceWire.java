package io.distributedlock.backend.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.models.role.RedisInstance;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.backend.redis.script.RedisKeys;

/**
 * One native connection, which leads to all servers if the Redis is a Cluster. It
 * reconnects by itself until it is closed.
 *
 * @param wire the native connection
 * @param shared whether the application uses it too
 * @param giveBack gives the connection back, or closes it if it is not shared
 * @param writes writes its commands, those of many threads together
 * @param waits sends the scripts that replicas have to acknowledge
 */
record LettuceWire(StatefulConnection<byte[], byte[]> wire, boolean shared, Runnable giveBack, GatheredWrites writes,
		SharedWaits waits) {

	private static LettuceWire of(StatefulConnection<byte[], byte[]> wire, boolean shared, Runnable giveBack) {
		GatheredWrites writes = GatheredWrites.to(wire);
		return new LettuceWire(wire, shared, giveBack, writes, new SharedWaits(writes));
	}

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
		StatefulConnection<byte[], byte[]> connected = (StatefulConnection<byte[], byte[]>) wire;
		return of(connected, true, connection::close);
	}

	/**
	 * Open a connection that is not shared. May block.
	 * @param factory the factory, which knows the servers
	 */
	static LettuceWire own(LettuceConnectionFactory factory) {
		AbstractRedisClient client = factory.getRequiredNativeClient();
		StatefulConnection<byte[], byte[]> wire = (client instanceof RedisClusterClient cluster)
				? cluster.connect(ByteArrayCodec.INSTANCE) : connect((RedisClient) client, factory.getDatabase());
		return of(wire, false, wire::closeAsync);
	}

	private static StatefulConnection<byte[], byte[]> connect(RedisClient client, int database) {
		StatefulRedisConnection<byte[], byte[]> wire = client.connect(ByteArrayCodec.INSTANCE);
		if (database != 0) {
			wire.sync().select(database);
		}
		return wire;
	}

	/**
	 * Return whether the connection is open, or reconnects by itself.
	 */
	boolean isUsable() {
		return !(this.wire instanceof RedisChannelHandler<?, ?> handler) || !handler.isClosed();
	}

	/**
	 * Return the route of a call: an object that all calls over the same connection to a
	 * server have in common.
	 * @param keys the keys of the call, which share a slot
	 */
	Object route(List<byte[]> keys) {
		RedisClusterNode node = (this.wire instanceof StatefulRedisClusterConnection<?, ?> cluster && !keys.isEmpty())
				? cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(keys.get(0))) : null;
		return (node != null) ? node.getUri() : this.wire;
	}

	/**
	 * Return the connection to the server of a call.
	 * @param keys the keys of the call, which share a slot
	 * @return the connection, or {@code null} if it is not open yet
	 */
	@Nullable StatefulConnection<?, ?> channel(List<byte[]> keys) {
		if (this.wire instanceof StatefulRedisClusterConnection<?, ?> cluster && route(keys) instanceof RedisURI uri) {
			CompletableFuture<? extends StatefulConnection<?, ?>> node = cluster.getConnectionAsync(uri.getHost(),
					uri.getPort());
			return (node.isDone() && !node.isCompletedExceptionally()) ? node.join() : null;
		}
		return this.wire;
	}

	/**
	 * Break a connection that has fallen silent.
	 * @param route the result of {@link #route}
	 * @return {@code false} if the connection can't be broken, and has to be replaced as
	 * a whole
	 */
	boolean disconnect(Object route) {
		if (this.wire instanceof StatefulRedisClusterConnection<?, ?> cluster && route instanceof RedisURI uri) {
			cluster.getConnectionAsync(uri.getHost(), uri.getPort()).thenAccept(LettuceWire::breakChannel);
			return true;
		}
		return breakChannel(this.wire);
	}

	/**
	 * Break the channel of a connection. As after any other break, the driver then
	 * reconnects by itself, and sends unanswered commands again. All users of a shared
	 * connection keep it.
	 * @param connection the connection to one server
	 * @return {@code false} if the channel can't be reached, as with static replicas
	 */
	static boolean breakChannel(StatefulConnection<?, ?> connection) {
		if (connection instanceof RedisChannelHandler<?, ?> handler
				&& endpoint(handler.getChannelWriter()) instanceof DefaultEndpoint endpoint) {
			endpoint.disconnect();
			return true;
		}
		return false;
	}

	private static RedisChannelWriter endpoint(RedisChannelWriter writer) {
		if (writer instanceof CommandExpiryWriter expiring) {
			return endpoint(expiring.getDelegate());
		}
		if (writer instanceof CommandListenerWriter listened) {
			return endpoint(listened.getDelegate());
		}
		return writer;
	}

	/**
	 * Return for each primary the keys that route a script to it.
	 */
	List<List<byte[]>> primaries(RedisKeys keys) {
		if (!(this.wire instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
			return List.of(List.of());
		}
		return cluster.getPartitions()
			.stream()
			.filter((node) -> node.getRole() == RedisInstance.Role.UPSTREAM && !node.getSlots().isEmpty())
			.map((node) -> List.of(keys.anyLock((name) -> node.hasSlot(SlotHash.getSlot(name)))))
			.toList();
	}

	void close() {
		this.giveBack.run();
	}

}
