package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.it.FurtherTopology;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many leases that are held for several TTLs, in Clusters of any form and with both
 * drivers.
 */
@FurtherTopology
class RedisHoldingIntegrationTests {

	private static final int LEASES = 400;

	private static final Duration TTL = Duration.ofSeconds(2);

	@Test
	void leasesOfAClusterAreHeldForFiveTtls() {
		RedisProcess alone = RedisCluster.startAlone();
		LettuceConnectionFactory lettuce = RedisFactories.lettuce(alone.port());
		JedisConnectionFactory jedis = RedisFactories.jedis(alone.port());
		Map<String, RedisConnectionFactory> ways = new LinkedHashMap<>();
		ways.put("one server, addressed as stand-alone, through Lettuce", lettuce);
		ways.put("one server, addressed as stand-alone, through Jedis", jedis);
		ways.put("three servers through Lettuce", RedisCluster.lettuce());
		ways.put("three servers through Jedis", RedisCluster.jedis());
		try {
			ways.forEach((way, factory) -> {
				int lost = lostOf(factory);
				System.out.printf("== %s: %d of %d leases lost in %s%n", way, lost, LEASES, TTL.multipliedBy(5));
				assertThat(lost).as(way).isZero();
			});
		}
		finally {
			lettuce.destroy();
			jedis.destroy();
			alone.close();
		}
	}

	private static int lostOf(RedisConnectionFactory factory) {
		try (RedisTestEngine engine = new RedisTestEngine(factory, HandOverSettings.DEFAULTS)) {
			AtomicInteger lost = new AtomicInteger();
			List<Lease> leases = new ArrayList<>();
			for (int i = 0; i < LEASES; i++) {
				Lease lease = engine.template().acquire(LockRequest.of(RedisTestClient.newKey()).ttl(TTL));
				lease.onLost((each) -> lost.incrementAndGet());
				leases.add(lease);
			}
			long end = System.nanoTime() + TTL.multipliedBy(5).toNanos();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> lost.get() > 0 || System.nanoTime() - end > 0);
			assertThat(leases.stream().filter(Lease::isHeld).count()).isEqualTo(LEASES - lost.get());
			leases.forEach(Lease::release);
			return lost.get();
		}
	}

}
