package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.HandOverSettings;

/**
 * Measures how many acquisitions with their releases one JVM performs per second on one
 * Redis. The baseline is the minimum over the same driver: {@code SET NX PX} and a script
 * that compares and deletes. Prints the result without an assertion.
 */
public final class RedisThroughputMeasurement {

	private static final Duration ROUND = Duration.ofSeconds(3);

	private static final int ROUNDS = 3;

	private static final String COMPARE_AND_DELETE = "if redis.call('GET', KEYS[1]) == ARGV[1] then"
			+ " return redis.call('DEL', KEYS[1]) end return 0";

	private RedisThroughputMeasurement() {
	}

	public static void main(String[] args) throws Exception {
		LettuceConnectionFactory factory = RedisServer.lettuce();
		RedisTestEngine engine = new RedisTestEngine(factory, HandOverSettings.DEFAULTS);
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", RedisServer.port()));
		StatefulRedisConnection<String, String> connection = client.connect();
		Pair ours = (key) -> engine.template().executeWithoutResult(LockRequest.of(key), (lease) -> {
		});
		Pair bare = bare(connection.sync());

		compare("8 threads, a key each", 8, false, bare, ours);
		compare("64 threads, a key each", 64, false, bare, ours);
		compare("8 threads, one key", 8, true, bare, ours);

		engine.close();
		connection.close();
		client.shutdown();
	}

	private static Pair bare(RedisCommands<String, String> redis) {
		String script = redis.scriptLoad(COMPARE_AND_DELETE);
		return (key) -> {
			String owner = UUID.randomUUID().toString();
			SetArgs unlessThere = SetArgs.Builder.nx().px(30_000);
			while (redis.set("bare:" + key, owner, unlessThere) == null) {
				Thread.onSpinWait();
			}
			redis.evalsha(script, ScriptOutputType.INTEGER, new String[] { "bare:" + key }, owner);
		};
	}

	private static void compare(String name, int threads, boolean oneKey, Pair bare, Pair ours) throws Exception {
		run(threads, oneKey, bare);
		run(threads, oneKey, ours);
		for (int round = 0; round < ROUNDS; round++) {
			long without = run(threads, oneKey, bare);
			long with = run(threads, oneKey, ours);
			System.out.printf("%s: bare %d pairs/s, ours %d pairs/s, ratio %.2f%n", name, without, with,
					(double) with / without);
		}
	}

	private static long run(int threads, boolean oneKey, Pair pair) throws Exception {
		LongAdder pairs = new LongAdder();
		long end = System.nanoTime() + ROUND.toNanos();
		List<Thread> all = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			String key = oneKey ? "hot" : "key-" + i;
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
