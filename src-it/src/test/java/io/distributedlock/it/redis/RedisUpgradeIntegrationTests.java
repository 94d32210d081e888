package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients of the version without groups beside those of this one. Both use exclusive
 * locks, and only these one enters groups.
 */
class RedisUpgradeIntegrationTests {

	private static final int READERS = 0;

	// The server has no other clients, because its commands are counted.
	private static final RedisProcess SERVER = RedisProcess.start();

	private static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(SERVER.port());

	private final EarlierVersion earlier = new EarlierVersion(FACTORY);

	private final RedisTestClient client = new RedisTestClient(FACTORY);

	private final RedisTestClient other = new RedisTestClient(FACTORY);

	private final StringRedisTemplate redis = new StringRedisTemplate(FACTORY);

	private final String key = RedisTestClient.newKey();

	private final String lock = RedisTestClient.PREFIX + "{" + this.key + "}";

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

	@Test
	void exclusiveLocksOfBothVersionsExcludeEachOther() {
		String owner = EarlierVersion.owner();
		long first = token(this.earlier.acquire(this.key, owner, false));
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.earlier.renew(this.key, owner)).containsExactly(1L);
		assertThat(this.earlier.release(this.key, owner, first)).containsExactly(1L);

		LeaseGrant grant = this.client.acquire(this.key);

		assertThat(grant.token().first()).isGreaterThan(first);
		assertThat(this.earlier.acquire(this.key, EarlierVersion.owner(), false)).startsWith(0L);
		assertThat(this.earlier.find(this.key)).startsWith(grant.ownerId().value() + "|test@host:1");
		assertThat(this.client.release(grant)).isTrue();
		assertThat(token(this.earlier.acquire(this.key, EarlierVersion.owner(), false)))
			.isGreaterThan(grant.token().last());
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void earlierWriterExcludesMembersUntilItsRelease(int permits) {
		String owner = EarlierVersion.owner();
		long token = token(this.earlier.acquire(this.key, owner, false));
		LockTarget group = RedisTestClient.group(this.key, permits);
		assertThat(this.client.attempt(group, this.client.request(RedisTestClient.TTL, permits, false)))
			.isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.earlier.release(this.key, owner, token)).containsExactly(1L);

		assertThat(this.client.enter(this.key, permits, RedisTestClient.TTL).token().first()).isGreaterThan(token);
		assertThat(this.other.enter(this.key, permits, RedisTestClient.TTL).token().first()).isGreaterThan(token);
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void membersExcludeAnEarlierWriterUntilTheLastOneHasLeft(int permits) {
		LeaseGrant one = this.client.enter(this.key, permits, RedisTestClient.TTL);
		LeaseGrant other = this.other.enter(this.key, permits, RedisTestClient.TTL);
		String owner = EarlierVersion.owner();
		assertThat(this.earlier.acquire(this.key, owner, false)).startsWith(0L);
		assertThat(this.earlier.renew(this.key, owner)).containsExactly(0L);
		assertThat(this.earlier.release(this.key, owner, one.token().last())).containsExactly(0L);
		this.client.release(one);
		assertThat(this.earlier.acquire(this.key, owner, false)).startsWith(0L);
		this.other.release(other);

		assertThat(token(this.earlier.acquire(this.key, owner, false))).isGreaterThan(other.token().last());

		assertThat(this.client.renew(one, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(other)).isFalse();
		assertThat(this.earlier.renew(this.key, owner)).containsExactly(1L);
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void lastMemberWakesAnEarlierWaiter(int permits) {
		LeaseGrant member = this.client.enter(this.key, permits, RedisTestClient.TTL);
		this.earlier.acquire(this.key, EarlierVersion.owner(), true);
		CommandStats before = CommandStats.of(FACTORY);

		this.client.release(member);

		assertThat(CommandStats.of(FACTORY).since(before).calls("publish")).isPositive();
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void releaseOfAnEarlierWriterWakesAMember(int permits) throws InterruptedException {
		String owner = EarlierVersion.owner();
		long token = token(this.earlier.acquire(this.key, owner, false));
		LockTarget group = RedisTestClient.group(this.key, permits);
		Semaphore wakeUps = new Semaphore(0);
		Contender contender = this.client.connection().contend(group, wakeUps::release);
		LeaseRequest waiting = this.client.request(RedisTestClient.TTL, permits, true);
		assertThat(RedisTestClient.await(contender.attempt(waiting))).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(RedisTestClient.await(this.client.connection().wakesContenders(group))).isTrue();
		assertThat(RedisTestClient.await(contender.attempt(waiting))).isInstanceOf(AttemptOutcome.Busy.class);
		wakeUps.drainPermits();

		this.earlier.release(this.key, owner, token);

		assertThat(wakeUps.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
		assertThat(RedisTestClient.await(contender.attempt(waiting))).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void earlierVersionShowsAGroupAsHeldByAnUnnamedInstance() {
		this.client.read(this.key);

		assertThat(this.earlier.find(this.key)).startsWith("shared");
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void forcedReleaseByAnEarlierVersionEndsTheWholeGroup(int permits) {
		LeaseGrant one = this.client.enter(this.key, permits, RedisTestClient.TTL);
		LeaseGrant other = this.other.enter(this.key, permits, RedisTestClient.TTL);

		assertThat(this.earlier.forceRelease(this.key, Duration.ZERO)).containsExactly(1L);

		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isEmpty();
		assertThat(this.client.renew(one, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		LeaseGrant next = this.client.enter(this.key, permits, RedisTestClient.TTL);
		assertThat(this.client.renew(one, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.renew(other, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.release(other)).isFalse();
		assertThat(this.redis.opsForZSet().size(this.lock + ":s")).isOne();
		assertThat(this.client.release(next)).isTrue();
		assertThat(this.earlier.acquire(this.key, EarlierVersion.owner(), false)).startsWith(1L);
	}

	@Test
	void cooldownOfAForcedReleaseByAnEarlierVersionExcludesMembers() {
		this.client.read(this.key);

		this.earlier.forceRelease(this.key, Duration.ofSeconds(30));

		assertThat(this.client.attempt(RedisTestClient.group(this.key, READERS),
				this.client.request(RedisTestClient.TTL, false)))
			.isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void forcedReleaseTakesTheLockFromAnEarlierVersion() {
		String owner = EarlierVersion.owner();
		this.earlier.acquire(this.key, owner, false);

		assertThat(RedisTestClient.await(this.client.connection().forceRelease(this.key, Duration.ZERO))).isTrue();

		assertThat(this.earlier.renew(this.key, owner)).containsExactly(0L);
		this.client.read(this.key);
	}

	@Test
	void earlierWaiterClosesNoDoor() {
		this.client.read(this.key);

		this.earlier.acquire(this.key, EarlierVersion.owner(), true);

		this.other.read(this.key);
	}

	@Test
	void readersAndWritersOfBothVersionsNeverOverlap() {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicInteger[] rounds = { new AtomicInteger(), new AtomicInteger(), new AtomicInteger() };
		BiConsumer<AtomicInteger, Consumer<Runnable>> repeat = (counter, round) -> {
			while (rounds[0].get() < 100 || rounds[1].get() < 100 || rounds[2].get() < 100) {
				round.accept(counter::incrementAndGet);
			}
		};
		Runnable earlierWriter = () -> repeat.accept(rounds[0], (done) -> {
			String owner = EarlierVersion.owner();
			List<Object> reply = this.earlier.acquire(this.key, owner, false);
			if (reply.get(0).equals(1L)) {
				alone(writers, readers, overlaps);
				this.earlier.release(this.key, owner, token(reply));
				done.run();
			}
		});
		Runnable writer = () -> repeat.accept(rounds[1], (done) -> {
			if (this.client.attempt(this.key) instanceof AttemptOutcome.Granted granted) {
				alone(writers, readers, overlaps);
				this.client.release(granted.grant());
				done.run();
			}
		});
		Runnable reader = () -> repeat.accept(rounds[2], (done) -> {
			if (this.other.attempt(RedisTestClient.group(this.key, READERS),
					this.other.request(RedisTestClient.TTL, false)) instanceof AttemptOutcome.Granted granted) {
				readers.incrementAndGet();
				if (writers.get() > 0) {
					overlaps.incrementAndGet();
				}
				readers.decrementAndGet();
				this.other.release(granted.grant());
				done.run();
			}
		});

		CompletableFuture
			.allOf(List.of(earlierWriter, earlierWriter, writer, reader, reader)
				.stream()
				.map(CompletableFuture::runAsync)
				.toArray(CompletableFuture[]::new))
			.orTimeout(2, TimeUnit.MINUTES)
			.join();

		assertThat(overlaps).hasValue(0);
	}

	private static void alone(AtomicInteger writers, AtomicInteger readers, AtomicInteger overlaps) {
		if (writers.incrementAndGet() > 1 || readers.get() > 0) {
			overlaps.incrementAndGet();
		}
		writers.decrementAndGet();
	}

	private static long token(List<Object> granted) {
		assertThat(granted.get(0)).isEqualTo(1L);
		return (Long) granted.get(1);
	}

}
