package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server forgets the scripts between any two operations, as after SCRIPT FLUSH, a
 * restart or a fail-over.
 */
abstract class RedisScriptCacheContract {

	private final RedisTestClient client = new RedisTestClient(factory());

	private final RedisTestClient other = new RedisTestClient(factory());

	protected abstract RedisConnectionFactory factory();

	/**
	 * Let every server forget its scripts.
	 */
	protected abstract void forgetScripts();

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@Test
	void noOperationNoticesThatTheScriptsWereForgotten() {
		for (int round = 0; round < 20; round++) {
			String key = RedisTestClient.newKey();
			forgetScripts();
			LeaseGrant grant = this.client.acquire(key);
			forgetScripts();
			assertThat(this.other.attempt(key)).isInstanceOf(AttemptOutcome.Busy.class);
			forgetScripts();
			assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			forgetScripts();
			assertThat(RedisTestClient.await(this.client.connection().find(key))).isPresent();
			forgetScripts();
			assertThat(RedisTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
				.contains(key);
			forgetScripts();
			assertThat(this.client.release(grant)).isTrue();
			LeaseGrant next = this.other.acquire(key);
			forgetScripts();
			assertThat(RedisTestClient.await(this.client.connection().forceRelease(key, Duration.ZERO))).isTrue();
			forgetScripts();
			assertThat(this.other.release(next)).isFalse();
		}
	}

	@Test
	void abandonmentAndCooldownWorkWithoutTheScripts() {
		String key = RedisTestClient.newKey();
		LeaseGrant grant = this.client.acquire(key);
		forgetScripts();
		RedisTestClient
			.await(this.client.connection().abandon(List.of(new Orphan(LockTarget.exclusive(key), grant.ownerId()))));
		LeaseGrant next = this.client.acquire(key);
		forgetScripts();

		assertThat(this.client.release(next, Duration.ofSeconds(60))).isTrue();

		assertThat(this.client.attempt(key)).isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void scriptsThatAreForgottenAllTheTimeCostNoLock() {
		AtomicInteger rounds = new AtomicInteger();
		List<Thread> threads = java.util.stream.IntStream.range(0, 4).mapToObj((index) -> new Thread(() -> {
			for (int round = 0; round < 100; round++) {
				String key = RedisTestClient.newKey();
				if (this.client.release(this.client.acquire(key))) {
					rounds.incrementAndGet();
				}
			}
		})).toList();
		threads.forEach(Thread::start);
		while (threads.stream().anyMatch(Thread::isAlive)) {
			forgetScripts();
		}

		assertThat(rounds).hasValue(400);
	}

}
