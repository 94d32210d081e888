package io.distributedlock.benchmarks.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.redis.BareScripts;

/**
 * Two scripts, each sent to all nodes at once over one connection of Lettuce for each
 * node. The first takes a free lock and counts a token, the second compares and deletes.
 * Each of the two waits until a majority has answered as expected, and leaves the other
 * answers alone. There is no timeout, no retry, and no check of the validity.
 */
final class BareRedlock implements Side {

	private final RedisClient client = RedisClient.create();

	private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();

	private final String acquire;

	private final String release;

	BareRedlock(Address address) {
		for (int port : address.ports()) {
			this.connections.add(this.client.connect(RedisURI.create("127.0.0.1", port)));
		}
		this.acquire = load(BareScripts.ACQUIRE);
		this.release = load(BareScripts.RELEASE);
	}

	private String load(String script) {
		this.connections.forEach((connection) -> connection.sync().scriptLoad(script));
		return this.connections.get(0).sync().digest(script);
	}

	@Override
	public Held acquire(String key) {
		String[] lock = { "bare:" + key, "bare:" + key + ":token" };
		String owner = UUID.randomUUID().toString();
		ask((node) -> node.evalsha(this.acquire, ScriptOutputType.INTEGER, lock, owner, "30000"));
		String[] name = { lock[0] };
		return () -> ask((node) -> node.evalsha(this.release, ScriptOutputType.INTEGER, name, owner));
	}

	private void ask(Function<RedisAsyncCommands<String, String>, RedisFuture<Long>> command) {
		Majority majority = new Majority(this.connections.size());
		this.connections.forEach((connection) -> command.apply(connection.async()).whenComplete(majority::count));
		majority.done.join();
	}

	@Override
	public void close() {
		this.connections.forEach(StatefulRedisConnection::close);
		this.client.shutdown();
	}

	/**
	 * Counts the answers of nodes.
	 */
	private static final class Majority {

		private final CompletableFuture<Void> done = new CompletableFuture<>();

		private final AtomicInteger missing;

		Majority(int nodes) {
			this.missing = new AtomicInteger(nodes / 2 + 1);
		}

		void count(Long answer, Throwable fault) {
			if (fault != null || Objects.equals(answer, 0L)) {
				this.done.completeExceptionally(new IllegalStateException("A node has refused", fault));
			}
			else if (this.missing.decrementAndGet() == 0) {
				this.done.complete(null);
			}
		}

	}

}
