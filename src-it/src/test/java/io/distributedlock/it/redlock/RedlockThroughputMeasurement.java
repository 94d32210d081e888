package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.LeaseKeeper;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Measures how many pairs of acquisition and release a second one JVM gets out of three
 * and of five nodes, beside a single Redis, and beside the least that anybody could do
 * over the same driver: {@code SET NX PX} at all nodes at once, and a script that
 * compares and deletes. Each thread has a key of its own. Prints and judges nothing.
 */
public final class RedlockThroughputMeasurement {

	private static final Duration ROUND = Duration.ofSeconds(3);

	private static final int ROUNDS = 3;

	private static final Duration NODE_TIMEOUT = Duration.parse(System.getProperty("node-timeout", "PT0.05S"));

	private static final String COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then"
			+ " return redis.call('DEL', KEYS[1]) end return 0";

	private RedlockThroughputMeasurement() {
	}

	public static void main(String[] args) throws Exception {
		Map<String, Pair> pairs = new LinkedHashMap<>();
		pairs.put("single Redis", ours((clock) -> new RedisLockBackend(RedisServer.lettuce(),
				new RedisLockSettings("lock:", "test@host:1", Duration.ofSeconds(2), Duration.ofHours(1)), clock)));
		pairs.put("3 nodes", ours((clock) -> redlock(3, clock)));
		pairs.put("3 nodes bare", bare(RedlockServers.shared().first(3)));
		pairs.put("5 nodes", ours((clock) -> redlock(5, clock)));
		pairs.put("5 nodes bare", bare(RedlockServers.shared()));

		for (int threads : new int[] { 1, 8, 64 }) {
			for (Pair pair : pairs.values()) {
				run(threads, pair);
			}
			for (int round = 0; round < ROUNDS; round++) {
				for (Map.Entry<String, Pair> pair : pairs.entrySet()) {
					System.out.printf("%d threads, %s: %d pairs/s%n", threads, pair.getKey(),
							run(threads, pair.getValue()));
				}
			}
		}
		System.exit(0);
	}

	private static RedlockLockBackend redlock(int nodes, LockClock clock) {
		RedlockServers servers = RedlockServers.shared().first(nodes);
		RedlockSettings settings = new RedlockSettings(
				servers.endpoints().stream().map((endpoint) -> endpoint.name()).toList(), NODE_TIMEOUT,
				Duration.ofSeconds(60), false, Duration.ofHours(1), Duration.ofSeconds(2), "test@host:1",
				"lock:" + nodes + ":");
		return RedlockLockBackend.overLettuce(servers.endpoints(), null, settings, clock, RedlockListener.NONE);
	}

	private static Pair ours(Function<LockClock, LockBackend> backend) {
		SystemLockClock clock = new SystemLockClock();
		LockEngine engine = new LockEngine(
				backend.apply(clock), new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(60), null,
						Duration.ofSeconds(2), Duration.ofSeconds(5), HandOverSettings.DEFAULTS),
				clock, List.of(), List.of());
		LockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseKeeper.NONE));
		return (key) -> template.executeWithoutResult(LockRequest.of(key), (lease) -> {
		});
	}

	/**
	 * What everybody's Redlock does at least: all nodes at once, and all of their
	 * answers.
	 */
	private static Pair bare(RedlockServers servers) {
		RedisClient client = RedisClient.create();
		List<RedisAsyncCommands<String, String>> nodes = servers.all().stream().map((server) -> {
			StatefulRedisConnection<String, String> connection = client
				.connect(RedisURI.create("127.0.0.1", server.port()));
			connection.sync().scriptLoad(COMPARE_AND_DELETE);
			return connection.async();
		}).toList();
		String script = nodes.get(0).digest(COMPARE_AND_DELETE);
		return (key) -> {
			String owner = UUID.randomUUID().toString();
			String[] keys = { "bare:" + servers.all().size() + ":" + key };
			awaitAll(nodes, (node) -> node.set(keys[0], owner, SetArgs.Builder.nx().px(30_000)));
			awaitAll(nodes, (node) -> node.evalsha(script, ScriptOutputType.INTEGER, keys, owner));
		};
	}

	private static void awaitAll(List<RedisAsyncCommands<String, String>> nodes,
			Function<RedisAsyncCommands<String, String>, RedisFuture<?>> command) {
		RedisFuture<?>[] answers = nodes.stream().map(command).toArray(RedisFuture[]::new);
		LettuceFutures.awaitAll(10, TimeUnit.SECONDS, answers);
	}

	private static long run(int threads, Pair pair) throws Exception {
		LongAdder pairs = new LongAdder();
		long end = System.nanoTime() + ROUND.toNanos();
		List<Thread> all = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			String key = "key-" + i;
			Thread thread = new Thread(() -> {
				while (System.nanoTime() - end < 0) {
					pair.lockAndUnlock(key);
					pairs.increment();
				}
			}, "pairs-" + i);
			thread.start();
			all.add(thread);
		}
		for (Thread thread : all) {
			thread.join();
		}
		return pairs.sum() * 1000 / ROUND.toMillis();
	}

	/**
	 * One acquisition and its release.
	 */
	private interface Pair {

		void lockAndUnlock(String key);

	}

}
