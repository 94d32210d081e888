package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Locks and unlocks as fast as possible. Clients are never closed, since the JVM ends
 * after the measurement.
 */
interface ThroughputContender {

	/**
	 * Acquire a lock that is free, and release it.
	 */
	void lockAndUnlock(String key);

	/**
	 * This project's locks on a majority of nodes.
	 */
	static ThroughputContender redlock(List<Integer> ports, String prefix) {
		List<RedlockEndpoint> endpoints = ports.stream().map(RedlockServers::endpoint).toList();
		RedlockSettings settings = new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(),
				Duration.parse(System.getProperty("node-timeout", "PT0.05S")), Duration.ofSeconds(60), false,
				Duration.ofHours(1), Duration.ofSeconds(2), "test@host:1", "lock:" + prefix + ":");
		return ofEngine((clock) -> new RedlockLockBackend(LettuceNodes.of(endpoints, null, settings, clock), settings,
				clock, RedlockListener.NONE));
	}

	/**
	 * This project's locks in one Redis.
	 */
	static ThroughputContender singleRedis() {
		return ofEngine((clock) -> new RedisLockBackend(RedisServer.lettuce(),
				new RedisLockSettings("lock:", "test@host:1", Duration.ofSeconds(2), Duration.ofHours(1)), clock));
	}

	private static ThroughputContender ofEngine(Function<LockClock, LockBackend> backend) {
		SystemLockClock clock = new SystemLockClock();
		LockEngine engine = new LockEngine(
				backend.apply(clock), new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(60), null,
						Duration.ofSeconds(2), Duration.ofSeconds(5), HandOverSettings.DEFAULTS),
				clock, List.of(), List.of());
		LockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
		return (key) -> template.executeWithoutResult(LockRequest.of(key), (lease) -> {
		});
	}

	/**
	 * The least that every Redlock does, without tokens: {@code SET NX PX} at all nodes
	 * at once, and a script that compares and deletes. Each step waits for the answers of
	 * all nodes.
	 */
	static ThroughputContender bare(List<Integer> ports, String prefix) {
		String compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then"
				+ " return redis.call('DEL', KEYS[1]) end return false";
		RedisClient client = RedisClient.create();
		List<RedisAsyncCommands<String, String>> nodes = ports.stream()
			.map((port) -> client.connect(RedisURI.create("127.0.0.1", port)).async())
			.toList();
		nodes.forEach((node) -> node.scriptLoad(compareAndDelete));
		String script = nodes.get(0).digest(compareAndDelete);
		return (key) -> {
			String owner = UUID.randomUUID().toString();
			String[] keys = { "bare:" + prefix + ":" + key };
			askAll(nodes, (node) -> node.set(keys[0], owner, SetArgs.Builder.nx().px(30_000)));
			askAll(nodes, (node) -> node.evalsha(script, ScriptOutputType.INTEGER, keys, owner));
		};
	}

	private static void askAll(List<RedisAsyncCommands<String, String>> nodes,
			Function<RedisAsyncCommands<String, String>, RedisFuture<?>> command) {
		RedisFuture<?>[] answers = nodes.stream().map(command).toArray(RedisFuture[]::new);
		if (!LettuceFutures.awaitAll(10, TimeUnit.SECONDS, answers)
				|| Arrays.stream(answers).anyMatch((answer) -> answer.toCompletableFuture().join() == null)) {
			throw new IllegalStateException("Not all nodes did as they were told");
		}
	}

	/**
	 * Redisson's Redlock with one client for each node, the default configuration, and a
	 * lease that is not renewed.
	 */
	@SuppressWarnings("deprecation")
	static ThroughputContender redisson(List<Integer> ports, String prefix) {
		List<RedissonClient> clients = ports.stream().map((port) -> {
			Config config = new Config();
			config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
			return Redisson.create(config);
		}).toList();
		return (key) -> {
			RLock lock = new RedissonRedLock(clients.stream()
				.map((client) -> client.getLock("redisson:" + prefix + ":" + key))
				.toArray(RLock[]::new));
			lock.lock(30, TimeUnit.SECONDS);
			lock.unlock();
		};
	}

}
