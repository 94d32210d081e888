package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.HandOverSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commands that many callers cause while they wait for one lock in two JVMs. Only the
 * first one in the queue of each JVM sends any.
 */
class RedisCrowdIntegrationTests {

	private static final int GRANTS = 1000;

	private final RedisProcess server = RedisProcess.start();

	private final LettuceConnectionFactory factory = RedisFactories.lettuce(this.server.port());

	@AfterEach
	void end() {
		this.factory.destroy();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void scriptsPerGrantDoNotGrowWithTheThreads(boolean passedOn) throws InterruptedException {
		HandOverSettings handOver = passedOn ? HandOverSettings.DEFAULTS : HandOverSettings.NONE;

		double few = scriptsPerGrant(4, handOver);
		double many = scriptsPerGrant(100, handOver);

		System.out.printf("== scripts per grant, leases passed on: %s; 4 threads %.3f, 100 threads %.3f%n", passedOn,
				few, many);
		// An attempt of each JVM, one more when the lock is free, a release.
		assertThat(many).isLessThan(6);
		// A few more polls if the callers take longer.
		assertThat(many).isLessThan(few * 2 + 0.5);
	}

	private double scriptsPerGrant(int threads, HandOverSettings handOver) throws InterruptedException {
		try (RedisTestEngine one = new RedisTestEngine(this.factory, handOver);
				RedisTestEngine other = new RedisTestEngine(this.factory, handOver)) {
			String key = RedisTestClient.newKey();
			List.of(one, other).forEach((engine) -> engine.template().acquire(RedisTestClient.newKey()).release());
			CommandStats before = CommandStats.of(this.factory);
			AtomicInteger left = new AtomicInteger(GRANTS);
			AtomicInteger bodies = new AtomicInteger();
			List<Thread> crowd = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				LockTemplate template = ((i % 2 == 0) ? one : other).template();
				Thread thread = new Thread(() -> {
					while (left.getAndDecrement() > 0) {
						template.executeWithoutResult(key, (lease) -> bodies.incrementAndGet());
					}
				}, "crowd-" + i);
				thread.start();
				crowd.add(thread);
			}
			for (Thread thread : crowd) {
				thread.join(Duration.ofMinutes(2).toMillis());
			}
			assertThat(bodies).hasValue(GRANTS);
			return (double) CommandStats.of(this.factory).since(before).calls("evalsha") / GRANTS;
		}
	}

}
