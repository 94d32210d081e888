package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that the server receives, by its own count, and the values that stay
 * there. The server has no other clients.
 */
class RedisCommandsIntegrationTests {

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(SERVER.port());

	private final RedisTestClient client = new RedisTestClient(FACTORY);

	private final StringRedisTemplate redis = new StringRedisTemplate(FACTORY);

	private final String key = RedisTestClient.newKey();

	@AfterEach
	void close() {
		this.client.close();
	}

	@AfterAll
	static void end() {
		FACTORY.destroy();
		SERVER.kill();
	}

	@Test
	void acquisitionAndReleaseAreOneScriptEach() {
		this.client.release(this.client.acquire(this.key));
		CommandStats before = CommandStats.of(FACTORY);

		for (int i = 0; i < 100; i++) {
			this.client.release(this.client.acquire(this.key));
		}

		CommandStats asked = CommandStats.of(FACTORY).since(before);
		assertThat(asked.calls("evalsha")).isEqualTo(200);
		assertThat(asked.calls("eval")).isZero();
		assertThat(asked.calls("publish")).isZero();
		assertThat(asked.calls("subscribe")).isZero();
	}

	@Test
	void hundredRenewalsAreOneScript() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			renewals.add(new Renewal(this.client.acquire(RedisTestClient.newKey()), RedisTestClient.TTL));
		}
		RedisTestClient.await(this.client.connection().renew(renewals));
		CommandStats before = CommandStats.of(FACTORY);

		List<RenewalOutcome> outcomes = RedisTestClient.await(this.client.connection().renew(renewals));

		assertThat(outcomes).hasSize(500).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(CommandStats.of(FACTORY).since(before).calls("evalsha")).isEqualTo(5);
	}

	@Test
	void onlyAMarkMakesAReleaseSignal() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.client.attempt(this.key);
		CommandStats before = CommandStats.of(FACTORY);
		this.client.release(grant);
		assertThat(CommandStats.of(FACTORY).since(before).calls("publish")).isZero();

		LeaseGrant next = this.client.acquire(this.key);
		this.client.attempt(this.key, this.client.request(RedisTestClient.TTL, true));
		this.client.release(next);

		assertThat(CommandStats.of(FACTORY).since(before).calls("publish")).isOne();
	}

	@Test
	void lockShowsItsHolderAndWhatIsLeft() {
		LeaseGrant grant = this.client.acquire(this.key);

		assertThat(this.redis.opsForValue().get("lock:{" + this.key + "}"))
			.isEqualTo(grant.ownerId().value() + "|test@host:1");
		assertThat(this.redis.getExpire("lock:{" + this.key + "}")).isBetween(50L, 60L);
		assertThat(this.redis.opsForValue().get("lock:{" + this.key + "}:c"))
			.isEqualTo(String.valueOf(grant.token().last()));
	}

	@Test
	void releaseLeavesTheCounterForItsRetention() {
		this.client.release(this.client.acquire(this.key));

		assertThat(this.redis.keys("lock:{" + this.key + "}*")).containsExactly("lock:{" + this.key + "}:c");
		assertThat(this.redis.getExpire("lock:{" + this.key + "}:c")).isBetween(3500L, 3601L);
	}

	@Test
	void leaseThatOutlivesItsCounterIsRenewedFoundAndReleased() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.redis.delete("lock:{" + this.key + "}:c");

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent();
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.client.acquire(this.key).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void lockThatNeverExpiresIsBusyAndNoFault() {
		this.redis.opsForValue().set("lock:{" + this.key + "}", "somebody");

		AttemptOutcome outcome = this.client.attempt(this.key);

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Busy.class,
				(busy) -> assertThat(busy.retryAfter()).isNull());
		assertThat(RedisTestClient.await(this.client.connection().forceRelease(this.key, Duration.ZERO))).isTrue();
		this.client.release(this.client.acquire(this.key));
	}

	@Test
	void somethingElseUnderTheNameOfALockIsAFault() {
		this.redis.opsForList().leftPush("lock:{" + this.key + "}", "x");

		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	@Test
	void tokensThatAreFarAheadOfTimeAreGrantedOneByOne() {
		long ahead = (System.currentTimeMillis() + Duration.ofMinutes(1).toMillis()) * 1000;
		this.redis.opsForValue().set("lock:{" + this.key + "}:c", String.valueOf(ahead));

		AttemptOutcome outcome = this.client.attempt(this.key,
				new io.distributedlock.spi.LeaseRequest(io.distributedlock.spi.OwnerId.random(), RedisTestClient.TTL,
						64, null, false, Duration.ofSeconds(2), Duration.ZERO));

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Granted.class,
				(granted) -> assertThat(granted.grant().token())
					.isEqualTo(new io.distributedlock.spi.TokenRange(ahead + 1, 1)));
	}

}
