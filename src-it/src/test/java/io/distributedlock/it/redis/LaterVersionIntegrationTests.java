package io.distributedlock.it.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Values that later versions may store for a key, and damaged ones. The lock of that key
 * is taken, and the values are not overwritten.
 */
class LaterVersionIntegrationTests {

	private static final Duration MAX_TTL = Duration.ofSeconds(60);

	private final RedisTestClient client = new RedisTestClient(RedisServer.lettuce());

	private final StringRedisTemplate redis = new StringRedisTemplate(RedisServer.lettuce());

	private final String key = RedisTestClient.newKey();

	private final String lock = RedisTestClient.PREFIX + "{" + this.key + "}";

	private final String counter = this.lock + ":c";

	private final String mark = this.lock + ":w";

	@AfterEach
	void close() {
		this.client.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "2|1700000000000000", "text", "", "-5", "0x10", "1e5", " 12", "12|", "12|x", "12/", "12/0",
			"3/5", "1700000000000000/2|3|4", "9007199254740993", "9007199254740991", "99999999999999999999",
			"1700000000000000|99999999999999999999" })
	void counterThatIsNotUnderstoodMakesTheLockUnavailableAndStays(String value) {
		this.redis.opsForValue().set(this.counter, value);

		for (boolean waiting : new boolean[] { false, true }) {
			assertUnavailable(this.client.attempt(this.key, this.client.request(RedisTestClient.TTL, waiting)),
					this.counter);
		}

		assertThat(this.redis.opsForValue().get(this.counter)).isEqualTo(value);
		assertThat(this.redis.hasKey(this.lock)).isFalse();
	}

	@Test
	void counterThatIsNotUnderstoodIsNotReadByATickEither() {
		this.redis.opsForValue().set(this.counter, "2|1700000000000000");

		AttemptOutcome outcome = this.client.attempt(this.key, new LeaseRequest(OwnerId.random(), RedisTestClient.TTL,
				1, Instant.now(), false, Duration.ofSeconds(5), Duration.ZERO));

		assertUnavailable(outcome, this.counter);
		assertThat(this.redis.opsForValue().get(this.counter)).isEqualTo("2|1700000000000000");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":c" })
	void valueOfAnotherTypeMakesTheLockUnavailableAndStays(String suffix) {
		this.redis.opsForHash().putAll(this.lock + suffix, Map.of("version", "2"));

		assertUnavailable(this.client.attempt(this.key), this.lock + suffix);

		assertThat(this.redis.opsForHash().entries(this.lock + suffix)).containsExactly(Map.entry("version", "2"));
		assertThat(this.redis.keys(this.lock + "*")).containsExactly(this.lock + suffix);
	}

	@Test
	void markOfAnotherTypeIsNotOverwritten() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.redis.opsForHash().putAll(this.mark, Map.of("version", "2"));

		assertUnavailable(this.client.attempt(this.key, this.client.request(RedisTestClient.TTL, true)), this.mark);

		assertThat(this.redis.opsForHash().entries(this.mark)).containsExactly(Map.entry("version", "2"));
		assertThat(this.client.release(grant)).isTrue();
	}

	@Test
	void markThatIsNotUnderstoodIsNotOverwritten() {
		this.client.acquire(this.key);
		this.redis.opsForValue().set(this.mark, "2|soon");

		assertThat(this.client.attempt(this.key, this.client.request(RedisTestClient.TTL, true)))
			.isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.redis.opsForValue().get(this.mark)).isEqualTo("2|soon");
	}

	@Test
	void otherTextAtTheLocksPlaceIsBusyAndIsShown() {
		String value = "2|0123456789abcdef0123456789abcdef";
		this.redis.opsForValue().set(this.lock, value, Duration.ofSeconds(30));
		this.redis.opsForZSet().add(this.lock + ":s", "member", 1);
		this.redis.opsForHash().put(this.lock + ":h", "member", "1700000000000000");
		this.redis.opsForValue().set(this.lock + ":d", "1");

		assertThat(this.client.attempt(this.key, this.client.request(RedisTestClient.TTL, true)))
			.isInstanceOfSatisfying(AttemptOutcome.Busy.class,
					(busy) -> assertThat(busy.retryAfter()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30)));
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).get()
			.extracting(LockInfo::mode, LockInfo::fencingToken)
			.containsExactly(LockMode.EXCLUSIVE, 0L);
		assertThat(RedisTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.filteredOn((each) -> each.startsWith(this.key))
			.containsExactly(this.key);
		assertThat(RedisTestClient.await(this.client.connection().forceRelease(this.key, Duration.ZERO))).isTrue();
		assertThat(this.redis.keys(this.lock + "*")).doesNotContain(this.lock)
			.contains(this.lock + ":s", this.lock + ":h", this.lock + ":d");
	}

	@ParameterizedTest
	@ValueSource(strings = { ":s", ":h", ":d" })
	void memberDoesNotEnterWhereAPartOfTheGroupIsOfAnotherType(String suffix) {
		LeaseGrant grant = this.client.read(this.key);
		this.redis.rename(this.lock + ":s", this.lock + ":kept:s");
		this.redis.rename(this.lock + ":h", this.lock + ":kept:h");
		if (!suffix.equals(":s")) {
			this.redis.rename(this.lock + ":kept:s", this.lock + ":s");
		}
		this.redis.opsForValue().set(this.lock + suffix, "2|later");

		assertUnavailable(
				this.client.attempt(RedisTestClient.group(this.key, 0), this.client.request(RedisTestClient.TTL, true)),
				this.lock + suffix);

		assertThat(this.redis.opsForValue().get(this.lock + suffix)).isEqualTo("2|later");
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).get()
			.extracting(LockInfo::mode)
			.isEqualTo(LockMode.SHARED);
		assertThat(RedisTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.contains(this.key);
		if (!suffix.equals(":s")) {
			assertThat(this.redis.opsForZSet().range(this.lock + ":s", 0, -1))
				.containsExactly(grant.ownerId().value() + "|test@host:1");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "2|1700000000000000", "text", "9007199254740993" })
	void counterThatIsNotUnderstoodAdmitsNoMemberAndStays(String value) {
		this.redis.opsForValue().set(this.counter, value);

		assertUnavailable(
				this.client.attempt(RedisTestClient.group(this.key, 0), this.client.request(RedisTestClient.TTL, true)),
				this.counter);

		assertThat(this.redis.keys(this.lock + "*")).containsExactly(this.counter);
		assertThat(this.redis.opsForValue().get(this.counter)).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { "2|1700000000000000", "text", "9007199254740993" })
	void memberWhoseCounterWasDamagedMeanwhileIsRenewedAndReleased(String value) {
		LeaseGrant grant = this.client.enter(this.key, 1, RedisTestClient.TTL);
		this.redis.opsForValue().set(this.counter, value);

		assertThat(this.client.attempt(RedisTestClient.group(this.key, 1),
				this.client.request(RedisTestClient.TTL, 1, false)))
			.isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent();
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.redis.opsForValue().get(this.counter)).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { ":s", ":h" })
	void whatAnEndedGroupHasLeftIsRemovedByTheNextOneWhateverItIs(String suffix) {
		this.redis.opsForValue().set(this.lock + suffix, "left");

		LeaseGrant grant = this.client.read(this.key);

		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.redis.keys(this.lock + "*")).containsExactly(this.counter);
	}

	@Test
	void listAndFindShowWhatIsOfAnotherTypeAndNothingTakesItAway() {
		this.redis.opsForHash().putAll(this.lock, Map.of("version", "2"));
		OwnerId stranger = OwnerId.random();

		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent();
		assertThat(RedisTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.contains(this.key);
		assertThat(this.client.connection().forceRelease(this.key, Duration.ZERO).toCompletableFuture())
			.failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withMessageContaining(this.lock);
		RedisTestClient
			.await(this.client.connection().abandon(List.of(new Orphan(LockTarget.exclusive(this.key), stranger))));
		assertThat(this.redis.opsForHash().entries(this.lock)).containsExactly(Map.entry("version", "2"));
		this.redis.delete(this.lock);
	}

	@ParameterizedTest
	@ValueSource(strings = { "2|1700000000000000", "9007199254740993", "text" })
	void leaseWhoseCounterWasDamagedMeanwhileIsRenewedAndReleased(String value) {
		LeaseGrant grant = this.client.acquire(this.key);
		this.redis.opsForValue().set(this.counter, value);

		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent();
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.redis.opsForValue().get(this.counter)).isEqualTo(value);
	}

	@Test
	void stateOfTheServerThatIsNotUnderstoodStays() {
		String prefix = this.key + ":";
		this.redis.opsForValue().set(prefix + "state", "2|granting");

		try (RedisTestClient quarantined = quarantined(prefix)) {
			assertThat(quarantined.attempt(this.key, quarantined.request(MAX_TTL, false))).isInstanceOfSatisfying(
					AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("2|granting"));
		}

		assertThat(this.redis.opsForValue().get(prefix + "state")).isEqualTo("2|granting");
	}

	@Test
	void attemptUnderQuarantineIsDistinguishedFromAFailure() {
		try (RedisTestClient quarantined = quarantined(this.key + ":")) {
			assertThat(quarantined.attempt(this.key, quarantined.request(MAX_TTL, false)))
				.isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
					assertThat(unavailable.sent()).isFalse();
					assertThat(unavailable.cause()).isInstanceOfSatisfying(QuarantineException.class,
							(quarantine) -> assertThat(quarantine.remaining()).isPositive()
								.isLessThan(Duration.ofSeconds(70)));
				});
		}
	}

	private static RedisTestClient quarantined(String prefix) {
		return new RedisTestClient(RedisServer.lettuce(),
				new RedisLockSettings(prefix, "test@host:1", Duration.ofSeconds(5), Duration.ofHours(1))
					.withFailoverQuarantine(MAX_TTL));
	}

	private static void assertUnavailable(AttemptOutcome outcome, String name) {
		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.sent()).isFalse();
			assertThat(unavailable.cause()).hasMessageContaining("'" + name + "'")
				.hasMessageContaining("does not understand");
		});
	}

}
