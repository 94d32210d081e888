package io.distributedlock.it.handover;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Hand-over on three nodes.
 */
class RedlockHandOverIntegrationTests extends HandOverContract {

	private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(sha)?:calls=(\\d+)");

	private static final int NODES = 3;

	private static final List<RedlockEndpoint> ENDPOINTS = RedlockServers.shared().first(NODES).endpoints();

	private static final RedisClient CLIENT = RedisClient.create();

	private static final List<StatefulRedisConnection<String, String>> OPERATOR = RedlockServers.shared()
		.first(NODES)
		.all()
		.stream()
		.map((server) -> CLIENT.connect(RedisURI.create("127.0.0.1", server.port())))
		.toList();

	@AfterAll
	static void disconnect() {
		CLIENT.shutdown();
	}

	@Override
	protected LockBackend newClient(LockClock clock) {
		RedlockSettings settings = new RedlockSettings(ENDPOINTS.stream().map(RedlockEndpoint::name).toList(),
				Duration.ofSeconds(3), Duration.ofSeconds(60), false, Duration.ofHours(1), Duration.ofSeconds(5),
				"test@host:1", PREFIX);
		return new RedlockLockBackend(LettuceNodes.of(ENDPOINTS, null, settings, clock), settings, clock,
				RedlockListener.NONE);
	}

	/**
	 * A renewal under way may restore the lock on a node that has lost it while others
	 * still have it.
	 */
	@Override
	protected void delete(String key) {
		String name = PREFIX + "{" + key + "}";
		long deleted;
		do {
			deleted = OPERATOR.stream()
				.map((node) -> node.async().del(name))
				.toList()
				.stream()
				.mapToLong((count) -> count.toCompletableFuture().join())
				.sum();
		}
		while (deleted > NODES / 2);
	}

	/**
	 * Return the scripts of all nodes.
	 */
	@Override
	protected long requests() {
		return OPERATOR.stream().mapToLong((node) -> {
			long scripts = 0;
			Matcher counted = SCRIPTS.matcher(node.sync().info("commandstats"));
			while (counted.find()) {
				scripts += Long.parseLong(counted.group(2));
			}
			return scripts;
		}).sum();
	}

}
