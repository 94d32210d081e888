package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps of the server's clock, simulated by the stored values. Expiry times, and tokens
 * that were made from the clock, move in the opposite direction.
 */
class RedisClockIntegrationTests {

	private static final Duration STEP = Duration.ofMinutes(30);

	private final StringRedisTemplate redis = new StringRedisTemplate(RedisServer.lettuce());

	private final RedisTestClient client = new RedisTestClient(RedisServer.lettuce());

	private final RedisTestClient other = new RedisTestClient(RedisServer.lettuce());

	private final String key = RedisTestClient.newKey();

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
	}

	@Test
	void leaseOutlivesAStepBackAndReleasedLocksAreFree() {
		LeaseGrant grant = this.client.acquire(this.key);

		moveExpiry(this.key);

		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
		this.other.acquire(this.key);
	}

	@Test
	void tokensGoOnAfterAStepBack() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.client.release(grant);

		moveToken();

		assertThat(this.other.acquire(this.key).token().first())
			.isGreaterThan(grant.token().last() + TimeUnit.MILLISECONDS.toMicros(STEP.toMillis()));
	}

	@Test
	void lockOfACrashedHolderAndAMinimumHoldLastLongerByAStepBack() {
		String held = RedisTestClient.newKey();
		this.client.release(this.client.acquire(held), Duration.ofMinutes(1));
		this.client.acquire(this.key);

		moveExpiry(this.key);
		moveExpiry(held);

		for (String each : List.of(this.key, held)) {
			assertThat(this.other.attempt(each)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(this.redis.getExpire(lock(each), TimeUnit.MILLISECONDS)).isBetween(STEP.toMillis(),
					STEP.plusMinutes(1).toMillis());
		}
	}

	@Test
	void stepForwardEndsLeasesEarlyAndTheirHoldersLearnIt() {
		LeaseGrant grant = this.client.acquire(this.key);

		this.redis.delete(lock(this.key));

		LeaseGrant next = this.other.acquire(this.key);
		assertThat(next.token().first()).isGreaterThan(grant.token().last());
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
		assertThat(this.other.release(next)).isTrue();
	}

	private void moveExpiry(String stepped) {
		this.redis.expire(lock(stepped),
				Duration.ofMillis(this.redis.getExpire(lock(stepped), TimeUnit.MILLISECONDS)).plus(STEP));
	}

	/**
	 * Move the token of a lock without a holder, because a holder knows its own token.
	 */
	private void moveToken() {
		String counter = lock(this.key) + ":c";
		long token = Long.parseLong(this.redis.opsForValue().get(counter));
		this.redis.opsForValue()
			.set(counter, String.valueOf(token + TimeUnit.MILLISECONDS.toMicros(STEP.toMillis())),
					Duration.ofMillis(this.redis.getExpire(counter, TimeUnit.MILLISECONDS)).plus(STEP));
	}

	private static String lock(String each) {
		return RedisTestClient.PREFIX + "{" + each + "}";
	}

}
