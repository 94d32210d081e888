package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ZSetOperations.TypedTuple;
import org.springframework.data.redis.core.script.RedisScript;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that the server receives for groups, by its own count, and the values that
 * stay there. The server has no other clients.
 */
class RedisGroupCommandsIntegrationTests {

	private static final int READERS = 0;

	/**
	 * The answer to a request for the rest of a value that never expires.
	 */
	private static final long FOR_EVER = -1;

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(SERVER.port());

	private final RedisTestClient client = new RedisTestClient(FACTORY);

	private final StringRedisTemplate redis = new StringRedisTemplate(FACTORY);

	private final String key = RedisTestClient.newKey();

	private final String lock = RedisTestClient.PREFIX + "{" + this.key + "}";

	@AfterEach
	void close() {
		this.client.close();
	}

	@AfterAll
	static void end() {
		FACTORY.destroy();
		SERVER.kill();
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 3 })
	void enteringRenewingAndReleasingAMemberAreOneRoundTripEach(int permits) {
		LeaseGrant other = this.client.enter(this.key, permits, RedisTestClient.TTL);
		this.client.renew(other, RedisTestClient.TTL);
		this.client.release(this.client.enter(this.key, permits, RedisTestClient.TTL));
		CommandStats before = CommandStats.of(FACTORY);

		for (int i = 0; i < 100; i++) {
			LeaseGrant grant = this.client.enter(this.key, permits, RedisTestClient.TTL);
			this.client.renew(grant, RedisTestClient.TTL);
			this.client.release(grant);
		}

		CommandStats asked = CommandStats.of(FACTORY).since(before);
		assertThat(asked.calls("evalsha")).isEqualTo(300);
		assertThat(asked.calls("eval")).isZero();
		assertThat(asked.calls("publish")).isZero();
		assertThat(asked.calls("subscribe")).isZero();
	}

	@Test
	void busyReaderTakesOneRoundTrip() {
		this.client.acquire(this.key);
		Contender reader = contender(RedisTestClient.group(this.key, READERS));
		attempt(reader, READERS);

		assertThat(scriptsOf(() -> attempt(reader, READERS))).isOne();
	}

	@Test
	void writerThatMeetsAGroupTakesTwoRoundTripsTheFirstTimeAndOneAfterwards() {
		Contender earlier = contender(LockTarget.exclusive(this.key));
		LeaseGrant member = this.client.read(this.key);
		attempt(earlier, READERS);
		earlier.withdraw();
		Awaitility.await("the open door").until(() -> !this.redis.hasKey(this.lock + ":d"));
		Contender writer = contender(LockTarget.exclusive(this.key));

		assertThat(scriptsOf(() -> attempt(writer, READERS))).isEqualTo(2);
		assertThat(scriptsOf(() -> attempt(writer, READERS))).isOne();

		this.client.release(member);
		assertThat(scriptsOf(() -> assertThat(attempt(writer, READERS)).isInstanceOf(AttemptOutcome.Granted.class)))
			.isOne();
		assertThat(this.redis.hasKey(this.lock + ":d")).isFalse();
	}

	@Test
	void writerThatDoesNotWaitTakesOneRoundTrip() {
		this.client.read(this.key);
		this.client.attempt(this.key);

		assertThat(scriptsOf(() -> this.client.attempt(this.key))).isOne();
		assertThat(this.redis.hasKey(this.lock + ":d")).isFalse();
	}

	@Test
	void hundredRenewalsOfMembersAreOneScriptBesideThoseOfOtherLeases() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			String each = RedisTestClient.newKey();
			LeaseGrant grant = (i % 5 == 0) ? this.client.acquire(each)
					: this.client.enter(each, i % 2, RedisTestClient.TTL);
			renewals.add(new Renewal(grant, RedisTestClient.TTL));
		}
		RedisTestClient.await(this.client.connection().renew(renewals));
		this.client.release(renewals.get(7).grant());
		this.client.release(renewals.get(10).grant());

		List<RenewalOutcome> outcomes = new ArrayList<>();
		long scripts = scriptsOf(
				() -> outcomes.addAll(RedisTestClient.await(this.client.connection().renew(renewals))));

		assertThat(scripts).isEqualTo(1 + 4);
		for (int i = 0; i < 500; i++) {
			assertThat(outcomes.get(i)).as("renewal %d", i)
				.isInstanceOf((i == 7 || i == 10) ? RenewalOutcome.Lost.class : RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void memberFoundTakesOneRoundTripMoreThanAnExclusiveHolder() {
		this.client.acquire(this.key);
		String group = RedisTestClient.newKey();
		this.client.read(group);
		RedisTestClient.await(this.client.connection().find(group));

		assertThat(scriptsOf(() -> RedisTestClient.await(this.client.connection().find(this.key)))).isOne();
		assertThat(scriptsOf(() -> RedisTestClient.await(this.client.connection().find(group)))).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 3 })
	void lockOfAGroupEndsWithItsLastMember(int permits) {
		LeaseGrant longest = this.client.enter(this.key, permits, Duration.ofSeconds(50));
		assertLockEndsWithItsLastMember();
		LeaseGrant shorter = this.client.enter(this.key, permits, Duration.ofSeconds(20));
		assertLockEndsWithItsLastMember();
		this.client.renew(shorter, Duration.ofSeconds(70));
		assertLockEndsWithItsLastMember();
		this.client.renew(longest, Duration.ofSeconds(60));
		assertLockEndsWithItsLastMember();
		this.client.release(shorter, Duration.ofSeconds(90));
		assertLockEndsWithItsLastMember();
		LeaseGrant next = this.client.enter(this.key, permits, Duration.ofSeconds(20));
		this.client.release(longest);
		assertLockEndsWithItsLastMember();
		this.client.release(next);
		assertLockEndsWithItsLastMember();
	}

	private void assertLockEndsWithItsLastMember() {
		Set<TypedTuple<String>> members = this.redis.opsForZSet().rangeWithScores(this.lock + ":s", -1, -1);
		long latest = members.iterator().next().getScore().longValue();

		assertThat(expiry(this.lock)).isEqualTo(latest);
		assertThat(expiry(this.lock + ":s")).isEqualTo(latest + 1000);
		if (Boolean.TRUE.equals(this.redis.hasKey(this.lock + ":h"))) {
			assertThat(expiry(this.lock + ":h")).isGreaterThanOrEqualTo(latest + 1000);
		}
	}

	private long expiry(String name) {
		return this.redis.execute(RedisScript.of("return redis.call('PEXPIRETIME', KEYS[1])", Long.class),
				List.of(name));
	}

	@Test
	void valuesOfAGroupAreAsDocumented() {
		LeaseGrant member = this.client.enter(this.key, 2, RedisTestClient.TTL);
		String name = member.ownerId().value() + "|test@host:1";

		assertThat(this.redis.opsForValue().get(this.lock)).isEqualTo("permits");
		assertThat(this.redis.opsForZSet().range(this.lock + ":s", 0, -1)).containsExactly(name);
		assertThat(this.redis.opsForHash().entries(this.lock + ":h")).hasSize(1)
			.containsEntry(name, String.valueOf(member.token().last()));
		this.client.release(member);
		this.client.read(this.key);
		assertThat(this.redis.opsForValue().get(this.lock)).isEqualTo("shared");
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 3 })
	void onlyTheCounterAndTheMarkStayAfterTheLastReleaseAndNeitherForEver(int permits) {
		LeaseGrant one = this.client.enter(this.key, permits, RedisTestClient.TTL);
		LeaseGrant other = this.client.enter(this.key, permits, RedisTestClient.TTL);
		attempt(contender(LockTarget.exclusive(this.key)), READERS);
		assertThat(this.redis.keys(this.lock + "*")).containsExactlyInAnyOrder(this.lock, this.lock + ":c",
				this.lock + ":w", this.lock + ":s", this.lock + ":h", this.lock + ":d");
		assertNothingStaysForEver();

		this.client.release(one);
		this.client.release(other);

		assertThat(this.redis.keys(this.lock + "*")).containsExactlyInAnyOrder(this.lock + ":c", this.lock + ":w",
				this.lock + ":d");
		assertNothingStaysForEver();
	}

	@Test
	void nothingOfMembersThatCrashStaysForEver() {
		this.client.enter(this.key, 3, Duration.ofMillis(200));
		this.client.enter(this.key, 3, Duration.ofMillis(100));

		assertNothingStaysForEver();
	}

	@Test
	void placeOfACooldownStaysNoLongerThanTheCooldown() {
		this.client.release(this.client.read(this.key), Duration.ofSeconds(30));

		assertNothingStaysForEver();
		assertThat(this.redis.getExpire(this.lock)).isBetween(1L, 30L);
	}

	private void assertNothingStaysForEver() {
		assertThat(this.redis.keys(this.lock + "*")).isNotEmpty()
			.allSatisfy((name) -> assertThat(this.redis.getExpire(name)).as("the rest of %s", name)
				.isNotEqualTo(FOR_EVER)
				.isLessThanOrEqualTo(Duration.ofHours(1).toSeconds() + 1));
	}

	@Test
	void membersThatHaveExpiredAreRemovedByLaterOnes() {
		LeaseGrant enduring = this.client.enter(this.key, 50, RedisTestClient.TTL);
		for (int i = 0; i < 10; i++) {
			this.client.enter(this.key, 50, Duration.ofMillis(100));
		}
		LeaseGrant brief = this.client.enter(this.key, 50, Duration.ofMillis(100));
		while (this.client.renew(brief, Duration.ZERO) instanceof RenewalOutcome.Renewed) {
			Thread.onSpinWait();
		}

		this.client.release(this.client.enter(this.key, 50, RedisTestClient.TTL));

		assertThat(this.redis.opsForZSet().size(this.lock + ":s")).isOne();
		assertThat(this.redis.opsForHash().size(this.lock + ":h")).isOne();
		assertThat(this.client.release(enduring)).isTrue();
	}

	@Test
	void onlyTheLastReaderWakesWaitersAndEachPermitDoes() {
		assertThat(publishedBy(READERS)).isEqualTo(1);
		assertThat(publishedBy(3)).isEqualTo(3);
	}

	@Test
	void readerThatLeavesAGroupAsLongAsItWasWakesNoWaiters() {
		LeaseGrant one = this.client.read(this.key);
		LeaseGrant other = this.client.enter(this.key, READERS, RedisTestClient.TTL.plusSeconds(1));
		LeaseGrant last = this.client.enter(this.key, READERS, RedisTestClient.TTL.plusSeconds(2));
		attempt(contender(LockTarget.exclusive(this.key)), READERS);

		assertThat(publishedBy(() -> this.client.release(one, Duration.ofSeconds(1)))).isZero();
		assertThat(publishedBy(() -> this.client.release(last, RedisTestClient.TTL.plusSeconds(3)))).isZero();
		assertThat(publishedBy(() -> this.client.release(other, Duration.ofSeconds(1)))).isZero();
	}

	@Test
	void lastReaderWakesWaitersEvenIfPlacesStay() {
		LeaseGrant one = this.client.read(this.key);
		LeaseGrant other = this.client.read(this.key);
		attempt(contender(LockTarget.exclusive(this.key)), READERS);

		assertThat(publishedBy(() -> this.client.release(one, Duration.ofSeconds(1)))).isZero();
		assertThat(publishedBy(() -> this.client.release(other))).isOne();

		String alone = RedisTestClient.newKey();
		LeaseGrant only = this.client.read(alone);
		attempt(contender(LockTarget.exclusive(alone)), READERS);
		assertThat(publishedBy(() -> this.client.release(only, Duration.ofSeconds(1)))).isOne();
	}

	private long publishedBy(int permits) {
		String each = RedisTestClient.newKey();
		List<LeaseGrant> members = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			members.add(this.client.enter(each, permits, RedisTestClient.TTL));
		}
		attempt(contender(LockTarget.exclusive(each)), READERS);
		return publishedBy(() -> members.forEach(this.client::release));
	}

	private static long publishedBy(Runnable calls) {
		CommandStats before = CommandStats.of(FACTORY);
		calls.run();
		return CommandStats.of(FACTORY).since(before).calls("publish");
	}

	private Contender contender(LockTarget target) {
		return this.client.connection().contend(target, () -> {
		});
	}

	private AttemptOutcome attempt(Contender contender, int permits) {
		return RedisTestClient.await(contender.attempt(this.client.request(RedisTestClient.TTL, permits, true)));
	}

	private static long scriptsOf(Runnable calls) {
		CommandStats before = CommandStats.of(FACTORY);
		calls.run();
		CommandStats since = CommandStats.of(FACTORY).since(before);
		assertThat(since.calls("eval")).isZero();
		return since.calls("evalsha");
	}

}
