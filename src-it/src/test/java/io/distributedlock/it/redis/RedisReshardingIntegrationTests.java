package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks while a Cluster moves their slot from one master to another.
 */
@ParameterizedClass
@EnumSource
@FurtherTopology
class RedisReshardingIntegrationTests {

	private static final int READERS = 0;

	@Parameter
	Driver driver;

	private final String key = RedisTestClient.newKey();

	private final String lock = RedisTestClient.PREFIX + "{" + this.key + "}";

	private final String counter = this.lock + ":c";

	private final String members = this.lock + ":s";

	private final String tokens = this.lock + ":h";

	private RedisTestClient client;

	private RedisTestClient other;

	@BeforeEach
	void open() {
		this.client = new RedisTestClient(this.driver.factory());
		this.other = new RedisTestClient(this.driver.factory());
	}

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@Test
	void leaseIsRenewedAndReleasedWhileItsKeysAreApart() {
		LeaseGrant grant = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.lock);

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();

		slot.move(this.counter);
		slot.end();
		assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void heldLockIsNotGrantedWhileItsSlotMovesOrAfter() {
		LeaseGrant grant = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		assertThat(this.other.attempt(this.key)).isNotInstanceOf(AttemptOutcome.Granted.class);
		slot.move(this.lock);
		slot.move(this.counter);

		slot.end();

		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
	}

	@Test
	void attemptWhileKeysAreApartIsUnavailableAndTokensGoOnAfter() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.client.release(grant);
		LeaseGrant next = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.lock);

		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);

		slot.move(this.counter);
		slot.end();
		assertThat(this.client.release(next)).isTrue();
		assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(next.token().last());
	}

	@Test
	void attemptThatBeganWhileTheSlotMovedIsGrantedWhenItHasMoved() {
		MovingSlot slot = new MovingSlot(this.lock);
		Contender contender = this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		CompletionStage<AttemptOutcome> attempt = contender.attempt(this.client.request(RedisTestClient.TTL, false));

		slot.end();

		assertThat(RedisTestClient.await(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { READERS, 2 })
	void memberIsRenewedAndReleasedWhileItsKeysAreApart(int permits) {
		LeaseGrant grant = this.client.enter(this.key, permits, RedisTestClient.TTL.dividedBy(2));
		LeaseGrant enduring = this.other.enter(this.key, permits, RedisTestClient.TTL.dividedBy(3));
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.members);

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
		assertThat(this.other.renew(enduring, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);

		slot.move(this.lock);
		slot.move(this.counter);
		slot.move(this.tokens);
		slot.end();
		assertThat(this.other.renew(enduring, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(this.client.connection().find(this.key))).get()
			.extracting(LockInfo::fencingToken)
			.isEqualTo(enduring.token().last());
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.other.release(enduring)).isTrue();
		assertThat(this.client.acquire(this.key).token().first()).isGreaterThan(enduring.token().last());
	}

	@Test
	void lockOfAGroupLastsAsLongAsAMemberThatWasRenewedWhileItsKeysWereApart() {
		LeaseGrant grant = this.client.enter(this.key, READERS, Duration.ofSeconds(20));
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.members);

		this.client.renew(grant, RedisTestClient.TTL);

		for (String name : List.of(this.lock, this.counter, this.tokens)) {
			slot.move(name);
		}
		slot.end();
		StringRedisTemplate redis = new StringRedisTemplate(this.driver.factory());
		double end = redis.opsForZSet().score(this.members, grant.ownerId().value() + "|test@host:1");
		assertThat(redis.getExpire(this.lock, TimeUnit.MILLISECONDS)).isGreaterThan(50_000);
		assertThat(redis.getExpire(this.members, TimeUnit.MILLISECONDS))
			.isGreaterThan(redis.getExpire(this.lock, TimeUnit.MILLISECONDS));
		assertThat(redis.getExpire(this.tokens, TimeUnit.MILLISECONDS))
			.isGreaterThan(redis.getExpire(this.lock, TimeUnit.MILLISECONDS));
		assertThat(end - System.currentTimeMillis()).isGreaterThan(50_000);
	}

	@Test
	void lockThatAGroupHasLeftWhileItsKeysWereApartIsFreedByTheNextMember() {
		leaveWhileKeysAreApart();

		this.other.release(this.other.read(this.key));

		this.other.acquire(this.key);
	}

	@Test
	void lockThatAGroupHasLeftWhileItsKeysWereApartIsFreedByForce() {
		leaveWhileKeysAreApart();

		assertThat(RedisTestClient.await(this.client.connection().forceRelease(this.key, Duration.ofMinutes(1))))
			.isFalse();

		this.other.acquire(this.key);
	}

	private void leaveWhileKeysAreApart() {
		LeaseGrant grant = this.client.read(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.members);
		assertThat(this.client.release(grant)).isTrue();
		for (String name : List.of(this.lock, this.counter, this.tokens)) {
			slot.move(name);
		}
		slot.end();
		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(RedisTestClient.await(this.other.connection().find(this.key))).isEmpty();
	}

	@Test
	void memberThatWasTakenAwayIsNotRenewedWhileItsKeysAreApart() {
		LeaseGrant grant = this.client.read(this.key);
		new StringRedisTemplate(this.driver.factory()).delete(this.lock);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.tokens);

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();

		slot.move(this.members);
		slot.move(this.counter);
		slot.end();
	}

	@Test
	void abandonedMemberEndsWhileItsKeysAreApart() {
		LeaseGrant grant = this.client.read(this.key);
		LeaseGrant other = this.other.read(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.members);

		RedisTestClient.await(this.client.connection().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.renew(other, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		for (String name : List.of(this.lock, this.counter, this.tokens)) {
			slot.move(name);
		}
		slot.end();
		assertThat(this.other.release(other)).isTrue();
	}

	@Test
	void readerThatBeganWhileTheSlotMovedEntersWhenItHasMoved() {
		MovingSlot slot = new MovingSlot(this.lock);
		Contender contender = this.client.connection().contend(RedisTestClient.group(this.key, READERS), () -> {
		});
		CompletionStage<AttemptOutcome> attempt = contender.attempt(this.client.request(RedisTestClient.TTL, false));

		slot.end();

		assertThat(RedisTestClient.await(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void severalKeysOfOneSlotAreTakenAfterAndRenewedAndReleasedWhileTheSlotMoves(LockMode mode) {
		String beside = RedisCluster.keyInSlotOf(this.key, this.key);
		LockTarget both = new LockTarget(List.of(this.key, beside), mode);
		assertThat(this.client.connection().severalKeys(both)).isEqualTo(SeveralKeys.AT_ONCE);
		MovingSlot slot = new MovingSlot(this.lock);
		CompletionStage<AttemptOutcome> attempt = this.client.connection().contend(both, () -> {
		}).attempt(this.client.request(RedisTestClient.TTL, false));
		slot.end();
		LeaseGrant grant = ((AttemptOutcome.Granted) RedisTestClient.await(attempt)).grant();

		slot = new MovingSlot(this.lock);
		slot.move(mode.equals(LockMode.SHARED) ? this.members : this.lock);
		assertThat(this.other.attempt(both, this.other.request(RedisTestClient.TTL, false)))
			.isNotInstanceOf(AttemptOutcome.Granted.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();

		slot.end();
		// The locks of groups stay until the next member.
		LeaseGrant next = ((AttemptOutcome.Granted) this.other.attempt(both,
				this.other.request(RedisTestClient.TTL, false)))
			.grant();
		assertThat(this.other.release(next)).isTrue();
		this.other.acquire(beside);
	}

	@Test
	void keysOfDifferentSlotsAreTakenOneByOne() {
		List<String> keys = List.of("a", "b");

		assertThat(this.client.connection().severalKeys(new LockTarget(keys, LockMode.EXCLUSIVE)))
			.isEqualTo(SeveralKeys.ONE_BY_ONE);
	}

	enum Driver {

		LETTUCE, JEDIS;

		RedisConnectionFactory factory() {
			return (this == LETTUCE) ? RedisCluster.lettuce() : RedisCluster.jedis();
		}

	}

}
