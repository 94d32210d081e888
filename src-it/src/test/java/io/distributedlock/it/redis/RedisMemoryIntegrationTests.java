package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server whose memory is full.
 */
class RedisMemoryIntegrationTests {

	private RedisProcess server;

	private LettuceConnectionFactory factory;

	private RedisTestClient client;

	private final String key = RedisTestClient.newKey();

	private void start(String policy) {
		this.server = RedisProcess.start("--maxmemory", "5mb", "--maxmemory-policy", policy);
		this.factory = RedisFactories.lettuce(this.server.port());
		this.client = new RedisTestClient(this.factory);
	}

	@AfterEach
	void end() {
		this.client.close();
		this.factory.destroy();
		this.server.kill();
	}

	@Test
	void fullServerThatEvictsNothingIsUnavailableAndStillReleasesAndRenews() {
		start("noeviction");
		LeaseGrant grant = this.client.acquire(this.key);
		flood();

		assertThat(this.client.attempt(RedisTestClient.newKey())).isInstanceOfSatisfying(
				AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("OOM"));
		assertThat(this.client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void fullServerStillReleasesAndRenewsMembersAndAdmitsNone(int permits) {
		start("noeviction");
		LeaseGrant longest = this.client.enter(this.key, permits, Duration.ofSeconds(120));
		LeaseGrant grant = this.client.enter(this.key, permits, RedisTestClient.TTL);
		flood();

		assertThat(this.client.attempt(RedisTestClient.group(this.key, permits),
				this.client.request(RedisTestClient.TTL, permits, false)))
			.isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("OOM"));
		assertThat(this.client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.renew(grant, Duration.ofSeconds(150))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(longest)).isTrue();
		assertThat(new StringRedisTemplate(this.factory).getExpire("lock:{" + this.key + "}")).isGreaterThan(140);
		assertThat(this.client.release(grant, Duration.ofSeconds(1))).isTrue();
	}

	@Test
	void leaseWhoseLockWasEvictedIsLostAtItsNextRenewal() {
		start("allkeys-random");
		LeaseGrant grant = this.client.acquire(this.key);
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		while (Boolean.TRUE.equals(redis.hasKey("lock:{" + this.key + "}"))) {
			write(redis, null);
		}

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
	}

	@Test
	void tokensGoOnWhereTheCounterWasEvicted() {
		start("volatile-ttl");
		LeaseGrant grant = this.client.acquire(this.key);
		this.client.release(grant);
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		while (Boolean.TRUE.equals(redis.hasKey("lock:{" + this.key + "}:c"))) {
			write(redis, Duration.ofDays(1));
		}

		LeaseGrant next = this.client.acquire(this.key);

		assertThat(next.token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void serverThatEvictsHasNoFencingTokensToPromise() {
		start("volatile-lru");

		RedisTestClient.await(this.client.connection().find(this.key));

		assertThat(this.client.connection().traits().fencing()).isFalse();
	}

	@Test
	void serverThatRefusesWhatItCanNotKeepHasFencingTokens() {
		start("noeviction");

		RedisTestClient.await(this.client.connection().find(this.key));

		assertThat(this.client.connection().traits().fencing()).isTrue();
	}

	private void flood() {
		StringRedisTemplate redis = new StringRedisTemplate(this.factory);
		for (int size : new int[] { 10_000, 100, 1 }) {
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> {
				for (int i = 0; i < 100_000; i++) {
					redis.opsForValue().set("cache:" + UUID.randomUUID(), "x".repeat(size));
				}
			}).havingRootCause().withMessageContaining("OOM");
		}
	}

	private static void write(StringRedisTemplate redis, Duration ttl) {
		String key = "cache:" + UUID.randomUUID();
		if (ttl != null) {
			redis.opsForValue().set(key, "x".repeat(10_000), ttl);
		}
		else {
			redis.opsForValue().set(key, "x".repeat(10_000));
		}
	}

}
