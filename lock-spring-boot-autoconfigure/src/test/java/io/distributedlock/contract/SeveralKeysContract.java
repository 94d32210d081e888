package io.distributedlock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Several keys in one grant, for the stores that grant them together.
 */
abstract class SeveralKeysContract extends GroupHistoryContract {

	private static final Instant TICK = Instant.parse("2026-03-29T01:30:00.250Z");

	/**
	 * Return new keys, in their order, that this store grants together.
	 */
	private List<String> newKeys(int count) {
		return newKeys(count, LockMode.EXCLUSIVE);
	}

	private List<String> newKeys(int count, LockMode mode) {
		List<String> keys = IntStream.range(0, count).mapToObj(this::newKeyBeside).sorted().toList();
		// A client may learn only from the first answer what its store can do.
		List.of(first(), second(), third()).forEach((client) -> get(client.find(keys.get(0))));
		assumeThat(first().severalKeys(new LockTarget(keys, mode))).as("how this store grants several keys")
			.isNotEqualTo(SeveralKeys.ONE_BY_ONE);
		return keys;
	}

	/**
	 * Return a key that no other test has used. Keys of a store that grants only some
	 * keys together have a part in common.
	 * @param index the number of the key
	 * @return the key
	 */
	protected String newKeyBeside(int index) {
		return newKey();
	}

	private static LockTarget exclusive(List<String> keys) {
		return new LockTarget(keys, LockMode.EXCLUSIVE);
	}

	private LeaseGrant acquire(BackendConnection client, List<String> keys) {
		return acquire(client, exclusive(keys), request(longTtl()));
	}

	private static LeaseGrant acquire(BackendConnection client, LockTarget target, LeaseRequest request) {
		AttemptOutcome outcome = attempt(client, target, request);
		assertThat(outcome).as("an attempt on %s, which are free", target.keys())
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private AttemptOutcome.Busy assertBusy(BackendConnection client, List<String> keys) {
		AttemptOutcome outcome = attempt(client, exclusive(keys), request(longTtl()));
		assertThat(outcome).as("an attempt on %s, one of which can't be had", keys)
			.isInstanceOf(AttemptOutcome.Busy.class);
		return (AttemptOutcome.Busy) outcome;
	}

	@Test
	void allKeysAreGrantedTogetherWithATokenForEach() {
		List<String> keys = newKeys(3);
		LeaseRequest request = request(longTtl());

		LeaseGrant grant = acquire(first(), exclusive(keys), request);

		assertThat(grant.target()).isEqualTo(exclusive(keys));
		assertThat(grant.ownerId()).isEqualTo(request.ownerId());
		assertThat(grant.tokens()).hasSize(3);
		assertThat(grant.nanosLeft(now())).isPositive().isLessThanOrEqualTo(longTtl().toNanos());
		keys.forEach((key) -> assertBusy(second(), key));
		keys.forEach((key) -> assertThat(find(third(), key)).as("holder of '%s'", key).isPresent());
		assertThat(release(first(), grant)).isTrue();
		assertThat(release(first(), grant)).isFalse();
		keys.forEach((key) -> assertFree(second(), key));
	}

	@Test
	void aBusyKeyLeavesTheOthersFree() {
		List<String> keys = newKeys(3);
		for (String busy : keys) {
			LeaseGrant holder = acquire(second(), busy);

			assertBusy(first(), keys);

			keys.stream().filter((key) -> !key.equals(busy)).forEach((key) -> assertFree(third(), key));
			assertStands(second(), holder);
			assertThat(release(second(), holder)).isTrue();
		}
		assertThat(release(first(), acquire(first(), keys))).isTrue();
	}

	@Test
	void overlappingSetsExcludeEachOther() {
		List<String> keys = newKeys(4);
		LeaseGrant lower = acquire(first(), keys.subList(0, 2));

		assertBusy(second(), keys.subList(1, 3));
		assertBusy(second(), keys);
		LeaseGrant upper = acquire(second(), keys.subList(2, 4));

		assertThat(release(first(), lower)).isTrue();
		assertThat(release(second(), upper)).isTrue();
	}

	@Test
	void tokensOfEachKeyGrow() {
		assumeFencing();
		List<String> keys = newKeys(3);
		long[] last = new long[keys.size()];
		Random random = new Random(3);
		for (int round = 0; round < 20; round++) {
			int span = 1 + random.nextInt(4);
			LeaseGrant all = acquire(client(round % 3), exclusive(keys),
					request(OwnerId.random(), longTtl(), span, null));
			for (int i = 0; i < keys.size(); i++) {
				assertThat(all.tokens().get(i).first()).as("token of '%s' in round %d", keys.get(i), round)
					.isGreaterThan(last[i]);
				assertThat(all.tokens().get(i).count()).isBetween(1, span);
				last[i] = all.tokens().get(i).last();
			}
			release(client(round % 3), all);
			int single = random.nextInt(keys.size());
			LeaseGrant one = acquire(second(), keys.get(single));
			assertThat(one.token().first()).isGreaterThan(last[single]);
			last[single] = one.token().last();
			release(second(), one);
		}
	}

	@Test
	void repeatedAttemptOfAnOwnerKeepsItsGrant() {
		List<String> keys = newKeys(2);
		LeaseRequest request = request(longTtl());
		LeaseGrant grant = acquire(first(), exclusive(keys), request);

		LeaseGrant again = acquire(first(), exclusive(keys), request);

		assertThat(again.tokens()).isEqualTo(grant.tokens());
		assertThat(release(first(), again)).isTrue();
		keys.forEach((key) -> assertFree(second(), key));
	}

	@Test
	void allKeysAreRenewedTogether() {
		assumeLeasesHaveTheirOwnTtl();
		List<String> keys = newKeys(3);
		// A store may not keep a lease for longer than this.
		Duration half = longTtl().dividedBy(2);
		LeaseGrant grant = acquire(first(), exclusive(keys), request(half));

		assertThat(renew(first(), grant, longTtl())).isInstanceOf(RenewalOutcome.Renewed.class);

		keys.forEach((key) -> assertThat(find(third(), key).orElseThrow().remaining()).as("rest of '%s'", key)
			.isGreaterThan(half));
		release(first(), grant);
	}

	@Test
	void keysExpireTogether() {
		assumeLeasesHaveTheirOwnTtl();
		List<String> keys = newKeys(3);
		LeaseGrant grant = acquire(first(), exclusive(keys), request(briefTtl()));

		assertThat(waiter(second(), keys).untilGranted(briefTtl().plus(lateness()))).isNotNull();

		assertLost(first(), grant);
		assertThat(release(first(), grant)).isFalse();
	}

	@Test
	void leaseIsLostWithOneOfItsKeys() {
		List<String> keys = newKeys(3);
		for (String taken : keys) {
			LeaseGrant grant = acquire(first(), keys);

			assertThat(get(second().forceRelease(taken, Duration.ZERO))).isTrue();

			assertLost(first(), grant);
			assertThat(find(third(), taken)).isEmpty();
			assertThat(release(first(), grant)).isFalse();
			keys.forEach((key) -> assertFree(third(), key));
		}
	}

	@Test
	void abandonedAttemptLeavesNoKeyTaken() {
		List<String> keys = newKeys(3);
		LeaseGrant grant = acquire(first(), keys);

		get(first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		keys.forEach((key) -> assertFree(second(), key));
	}

	@Test
	void cooldownCountsForAllKeys() {
		List<String> keys = newKeys(2);
		LeaseGrant grant = acquire(first(), keys);

		assertThat(release(first(), grant, longTtl())).isTrue();

		keys.forEach((key) -> assertBusy(second(), key));
		keys.forEach((key) -> assertThat(find(third(), key)).as("holder of '%s'", key).isEmpty());
	}

	@Test
	void waiterIsServedAfterTheKeyThatWasBusy() {
		List<String> keys = newKeys(3);
		for (String busy : keys) {
			LeaseGrant holder = acquire(second(), busy);
			Waiter waiter = waiter(first(), keys).busy();

			release(second(), holder);

			release(first(), waiter.untilGranted(lateness()));
		}
	}

	@Test
	void withdrawnContenderLeavesNothingBehind() {
		List<String> keys = newKeys(3);
		LeaseGrant holder = acquire(second(), keys.get(1));
		Contender contender = first().contend(exclusive(keys), () -> {
		});
		assertThat(get(contender.attempt(waiting(request(longTtl()))))).isInstanceOf(AttemptOutcome.Busy.class);

		contender.withdraw();

		assertThat(release(second(), holder)).isTrue();
		keys.forEach((key) -> waiter(third(), List.of(key)).untilGranted(lateness()));
	}

	private static LeaseRequest waiting(LeaseRequest request) {
		return new LeaseRequest(request.ownerId(), request.ttl(), request.span(), request.permits(), request.tick(),
				true, request.timeout(), request.patience());
	}

	private Waiter waiter(BackendConnection client, List<String> keys) {
		return new Waiter(this, client, exclusive(keys), 0);
	}

	@Test
	void tickBelongsToTheLastKey() {
		assumeThat(first().traits().ticks()).as("whether this store honours ticks").isTrue();
		List<String> keys = newKeys(2);
		LeaseRequest ticking = request(OwnerId.random(), longTtl(), 1, TICK);
		LeaseGrant holder = acquire(second(), keys.get(0));
		assertThat(attempt(first(), exclusive(keys), ticking)).as("an attempt while the first key is busy")
			.isInstanceOf(AttemptOutcome.Busy.class);
		release(second(), holder);

		release(first(), acquire(first(), exclusive(keys), request(OwnerId.random(), longTtl(), 1, TICK)));

		assertThat(attempt(second(), exclusive(keys), request(OwnerId.random(), longTtl(), 1, TICK)))
			.isInstanceOf(AttemptOutcome.Done.class);
		release(third(), acquire(third(), keys.get(0), request(OwnerId.random(), longTtl(), 1, TICK)));
		assertThat(attempt(third(), keys.get(1), request(OwnerId.random(), longTtl(), 1, TICK)))
			.isInstanceOf(AttemptOutcome.Done.class);
		keys.forEach((key) -> assertFree(second(), key));
	}

	@Test
	void keysCanBeShared() {
		assumeShared();
		List<String> keys = newKeys(3, LockMode.SHARED);
		LockTarget shared = new LockTarget(keys, LockMode.SHARED);
		LeaseGrant all = acquire(first(), shared, request(longTtl()));
		LeaseGrant some = acquire(second(), new LockTarget(keys.subList(0, 2), LockMode.SHARED), request(longTtl()));

		keys.forEach((key) -> assertBusy(third(), key));
		assertBusy(third(), keys);
		assertThat(listed(third(), keys.get(0))).hasSize(2).allMatch((lock) -> lock.mode() == LockMode.SHARED);
		assertThat(release(first(), all)).isTrue();
		assertStands(second(), some);
		assertFree(third(), keys.get(2));
		assertBusy(third(), keys);
		assertThat(release(second(), some)).isTrue();
		assertThat(release(third(), acquire(third(), keys))).isTrue();
	}

	@Test
	void crowdWithOverlappingSetsIsServedWithoutADeadlock() {
		List<String> keys = newKeys(4);
		List<LeaseGrant> grants = new ArrayList<>(Crowd.of(8).map((index) -> {
			BackendConnection client = client(index % 3);
			Random random = new Random(index);
			LeaseGrant last = null;
			for (int i = 0; i < 5; i++) {
				int from = random.nextInt(3);
				List<String> some = keys.subList(from, from + 2);
				last = waiter(client, some).untilGrantedInACrowd();
				release(client, last);
			}
			return last;
		}));

		assertThat(grants).hasSize(8).doesNotContainNull();
		keys.forEach((key) -> waiter(third(), List.of(key)).untilGranted(lateness()));
	}

}
