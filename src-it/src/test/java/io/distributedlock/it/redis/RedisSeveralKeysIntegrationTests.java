package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several keys in one script: what it costs by the server's own count, and what it leaves
 * there. The server has no other clients.
 */
class RedisSeveralKeysIntegrationTests {

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(SERVER.port());

	private final RedisTestClient client = new RedisTestClient(FACTORY);

	private final RedisTestClient other = new RedisTestClient(FACTORY);

	private final StringRedisTemplate redis = new StringRedisTemplate(FACTORY);

	private final List<String> keys = List.of(RedisTestClient.newKey(), RedisTestClient.newKey(),
			RedisTestClient.newKey());

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@AfterAll
	static void end() {
		FACTORY.destroy();
		SERVER.kill();
	}

	private static String lock(String key) {
		return RedisTestClient.PREFIX + "{" + key + "}";
	}

	private LockTarget target(LockMode mode) {
		return new LockTarget(this.keys, mode);
	}

	private AttemptOutcome attempt(RedisTestClient from, LockMode mode) {
		return from.attempt(target(mode), from.request(RedisTestClient.TTL, false));
	}

	private LeaseGrant acquire(RedisTestClient from, LockMode mode) {
		AttemptOutcome outcome = attempt(from, mode);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private Contender contender(LockMode mode) {
		return this.client.connection().contend(target(mode), () -> {
		});
	}

	private AttemptOutcome attempt(Contender contender) {
		return RedisTestClient.await(contender.attempt(this.client.request(RedisTestClient.TTL, true)));
	}

	private static long scriptsOf(Runnable calls) {
		CommandStats before = CommandStats.of(FACTORY);
		calls.run();
		CommandStats since = CommandStats.of(FACTORY).since(before);
		assertThat(since.calls("eval")).isZero();
		return since.calls("evalsha");
	}

	private void assertNoneTaken() {
		this.keys.forEach((key) -> assertThat(this.other.release(this.other.acquire(key))).isTrue());
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void takingAllAndRenewingThemAreOneRoundTripEachAndTheyAreReleasedInOneFlush(LockMode mode) {
		assertThat(this.client.connection().severalKeys(target(mode))).isEqualTo(SeveralKeys.AT_ONCE);
		LeaseGrant first = acquire(this.client, mode);
		this.client.renew(first, RedisTestClient.TTL);
		this.client.release(first);
		LeaseGrant[] grant = new LeaseGrant[1];

		assertThat(scriptsOf(() -> grant[0] = acquire(this.client, mode))).isOne();
		assertThat(scriptsOf(() -> this.client.renew(grant[0], RedisTestClient.TTL))).isOne();
		assertThat(scriptsOf(() -> this.client.release(grant[0]))).isEqualTo(this.keys.size());
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void busyTryTakesOneRoundTripAndChangesNothing(LockMode mode) {
		this.client.release(acquire(this.client, mode));
		LeaseGrant holder = this.other.acquire(this.keys.get(1));
		Map<String, Object> before = stored();

		assertThat(scriptsOf(() -> assertThat(attempt(this.client, mode)).isInstanceOf(AttemptOutcome.Busy.class)))
			.isOne();

		assertThat(stored()).isEqualTo(before);
		assertThat(this.other.release(holder)).isTrue();
	}

	private Map<String, Object> stored() {
		List<String> names = this.redis.keys(RedisTestClient.PREFIX + "*")
			.stream()
			.filter((name) -> this.keys.stream().anyMatch((key) -> name.startsWith(lock(key))))
			.toList();
		return names.stream().collect(Collectors.toMap((name) -> name, (name) -> this.redis.opsForValue().get(name)));
	}

	@Test
	void waiterMarksTheBusyKeysAlone() {
		this.other.acquire(this.keys.get(0));
		this.other.acquire(this.keys.get(2));

		attempt(contender(LockMode.EXCLUSIVE));

		assertThat(this.keys).extracting((key) -> this.redis.hasKey(lock(key) + ":w"))
			.containsExactly(true, false, true);
	}

	@Test
	void longestRestOfTheBusyKeysIsReported() {
		this.other.acquire(this.keys.get(0), Duration.ofSeconds(50));
		this.other.acquire(this.keys.get(1), Duration.ofSeconds(20));

		AttemptOutcome outcome = attempt(this.client, LockMode.EXCLUSIVE);

		assertThat(((AttemptOutcome.Busy) outcome).retryAfter()).isGreaterThan(Duration.ofSeconds(40));
	}

	@Test
	void writerClosesTheDoorOfEachGroupThatItMeetsAndOpensItAgain() {
		LeaseGrant reader = this.other.read(this.keys.get(0));
		LeaseGrant holder = this.other.acquire(this.keys.get(1));
		Contender earlier = contender(LockMode.EXCLUSIVE);
		attempt(earlier);
		earlier.withdraw();
		Awaitility.await("the open door").until(() -> !this.redis.hasKey(lock(this.keys.get(0)) + ":d"));
		Contender writer = contender(LockMode.EXCLUSIVE);

		assertThat(scriptsOf(() -> attempt(writer))).isEqualTo(2);
		assertThat(scriptsOf(() -> attempt(writer))).isOne();

		assertThat(this.keys).extracting((key) -> this.redis.hasKey(lock(key) + ":d"))
			.containsExactly(true, false, false);
		assertThat(attempt(this.client, LockMode.SHARED)).isInstanceOf(AttemptOutcome.Busy.class);
		this.other.release(reader);
		this.other.release(holder);
		assertThat(attempt(writer)).isInstanceOf(AttemptOutcome.Granted.class);
		assertThat(this.redis.hasKey(lock(this.keys.get(0)) + ":d")).isFalse();
	}

	@Test
	void readersOfSeveralKeysLearnThatAWriterWaitsForOneOfThem() {
		LeaseGrant readers = acquire(this.other, LockMode.SHARED);
		attempt(this.client.connection().contend(LockTarget.exclusive(this.keys.get(1)), () -> {
		}));

		this.other.renew(readers, RedisTestClient.TTL);
		assertThat(this.other.contended()).containsExactly(readers);
		this.other.release(readers);

		assertThat(this.other.contended()).containsExactly(readers, readers);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void attemptThatIsSentAgainAfterAKeyWasLostIsUnknownAndCanBeAbandoned(LockMode mode) {
		LeaseRequest request = this.client.request(RedisTestClient.TTL, false);
		assertThat(this.client.attempt(target(mode), request)).isInstanceOf(AttemptOutcome.Granted.class);
		RedisTestClient.await(this.other.connection().forceRelease(this.keys.get(1), Duration.ZERO));
		LeaseGrant next = this.other.acquire(this.keys.get(1));

		AttemptOutcome outcome = this.client.attempt(target(mode), request);

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isTrue());
		RedisTestClient.await(this.client.connection().abandon(List.of(new Orphan(target(mode), request.ownerId()))));
		assertThat(this.other.release(next)).isTrue();
		assertNoneTaken();
	}

	@Test
	void renewalsOfOneKeyAndOfSeveralAreAnsweredInTheirOrder() {
		LeaseGrant all = acquire(this.client, LockMode.EXCLUSIVE);
		LeaseGrant single = this.client.acquire(RedisTestClient.newKey());
		LeaseGrant reader = this.client.read(RedisTestClient.newKey());
		LeaseGrant gone = this.client.acquire(RedisTestClient.newKey());
		this.client.release(gone);
		RedisTestClient.await(this.other.connection().forceRelease(this.keys.get(2), Duration.ZERO));

		List<RenewalOutcome> outcomes = RedisTestClient.await(this.client.connection()
			.renew(List.of(single, all, reader, gone)
				.stream()
				.map((grant) -> new Renewal(grant, RedisTestClient.TTL))
				.toList()));

		assertThat(outcomes.get(0)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(outcomes.get(1)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(outcomes.get(2)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(outcomes.get(3)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void counterThatIsNotUnderstoodIsNamedAndNoKeyIsTaken(LockMode mode) {
		String counter = lock(this.keys.get(1)) + ":c";
		this.redis.opsForValue().set(counter, "2|1700000000000000");

		assertUnavailable(attempt(this.client, mode), counter);

		this.redis.delete(counter);
		assertNoneTaken();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":c" })
	void valueOfAnotherTypeIsNamedAndNoKeyIsTaken(String suffix) {
		for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
			String name = lock(this.keys.get(2)) + suffix;
			this.redis.delete(name);
			this.redis.opsForHash().putAll(name, Map.of("version", "2"));

			assertUnavailable(attempt(this.client, mode), name);

			this.redis.delete(name);
			assertNoneTaken();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { ":s", ":h", ":d" })
	void valueOfAnotherTypeInAGroupIsNamedAndNoGroupIsEntered(String suffix) {
		LeaseGrant reader = this.other.read(this.keys.get(1));
		String name = lock(this.keys.get(1)) + suffix;
		this.redis.delete(name);
		this.redis.opsForList().leftPush(name, "2");

		assertUnavailable(attempt(this.client, LockMode.SHARED), name);

		assertThat(this.redis.hasKey(lock(this.keys.get(0)))).isFalse();
		this.redis.delete(name);
		this.other.release(reader);
	}

	@Test
	void markOfAnotherTypeIsNamed() {
		this.other.acquire(this.keys.get(1));
		String mark = lock(this.keys.get(1)) + ":w";
		this.redis.opsForHash().putAll(mark, Map.of("version", "2"));

		assertUnavailable(attempt(contender(LockMode.EXCLUSIVE)), mark);
		assertThat(attempt(this.client, LockMode.EXCLUSIVE)).isInstanceOf(AttemptOutcome.Busy.class);
	}

	private static void assertUnavailable(AttemptOutcome outcome, String name) {
		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.sent()).isFalse();
			assertThat(unavailable.cause()).hasMessageContaining("'" + name + "'");
		});
	}

	@Test
	void earlierVersionAndSeveralKeysExcludeEachOther() {
		EarlierVersion earlier = new EarlierVersion(FACTORY);
		for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
			LeaseGrant all = acquire(this.client, mode);
			this.keys
				.forEach((key) -> assertThat(earlier.acquire(key, EarlierVersion.owner(), false).get(0)).isEqualTo(0L));
			this.client.release(all);

			String owner = EarlierVersion.owner();
			long token = (Long) earlier.acquire(this.keys.get(2), owner, false).get(1);
			assertThat(token).isGreaterThan(all.tokens().get(2).last());
			assertThat(attempt(this.client, mode)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(earlier.release(this.keys.get(2), owner, token)).containsExactly(1L);
		}
	}

}
