package io.distributedlock.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Many readers or one writer.
 */
abstract class SharedContract extends DoorContract {

	private static final Instant TICK = Instant.parse("2026-03-29T01:30:00.250Z");

	@Test
	void readersAreNotCounted() {
		assumeShared();
		String key = newKey();
		List<LeaseGrant> readers = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			readers.add(enter(client(i % 3), key, Group.READERS));
		}

		assertThat(listed(third(), key)).hasSize(100);
		assertBusy(third(), key);
		for (int i = 0; i < 100; i++) {
			assertThat(release(client(i % 3), readers.get(i))).isTrue();
		}
		assertFree(third(), key);
	}

	@Test
	void readersOfACrowdAllEnter() {
		assumeShared();
		for (int round = 0; round < 10; round++) {
			String key = newKey();

			List<LeaseGrant> readers = Crowd.of(12)
				.map((index) -> waiter(client(index % 3), key, Group.READERS).untilGranted(lateness()));

			assertThat(readers).extracting((reader) -> reader.token().first()).doesNotHaveDuplicates();
			assertBusy(first(), key);
		}
	}

	@Test
	void crowdOfReadersAndWritersIsServedOneKindAtATime() {
		assumeShared();
		for (int round = 0; round < 20; round++) {
			String key = newKey();

			List<AttemptOutcome> outcomes = Crowd.of(12)
				.map((index) -> (index % 4 == 0) ? attempt(client(index % 3), key, request(longTtl()))
						: attempt(client(index % 3), Group.READERS.on(key), request(Group.READERS, longTtl())));

			long writers = granted(outcomes.stream()
				.filter((outcome) -> outcome instanceof AttemptOutcome.Granted granted
						&& !granted.grant().target().isGroup())
				.toList());
			long readers = granted(outcomes) - writers;
			assertThat(writers).isLessThanOrEqualTo(1);
			assertThat(Math.min(writers, readers)).as("%d writers and %d readers", writers, readers).isZero();
			assertThat(writers + readers).isGreaterThanOrEqualTo(canSplitVotes() ? 0 : 1);
		}
	}

	static long granted(List<AttemptOutcome> outcomes) {
		assertThat(outcomes).allMatch(
				(outcome) -> outcome instanceof AttemptOutcome.Granted || outcome instanceof AttemptOutcome.Busy,
				"granted or busy");
		return outcomes.stream().filter(AttemptOutcome.Granted.class::isInstance).count();
	}

	@Test
	void tokensOfReadersAreUniqueAndOrderedAroundWritersWithAnySpan() {
		assumeShared();
		assumeFencing();
		assertTokensAreOrdered(Group.READERS);
	}

	/**
	 * Assert that a token is greater than those of all leases that had ended before the
	 * request, and that no range contains a token of another one.
	 */
	final void assertTokensAreOrdered(Group group) {
		String key = newKey();
		Random random = new Random(group.permits());
		List<LeaseGrant> standing = new ArrayList<>();
		List<LeaseGrant> all = new ArrayList<>();
		long ended = 0;
		for (int i = 0; i < 60; i++) {
			while (!standing.isEmpty() && (i % 6 == 0 || random.nextInt(3) == 0)) {
				LeaseGrant leaving = standing.remove(random.nextInt(standing.size()));
				assertThat(release(first(), leaving)).isTrue();
				ended = Math.max(ended, leaving.token().last());
			}
			int span = (group.permits() > 0) ? 1 : 1 + random.nextInt(8);
			LeaseGrant next = (i % 6 == 0) ? acquire(first(), key)
					: enter(first(), key, group, request(group, OwnerId.random(), longTtl(), span));
			assertThat(next.token().count()).isBetween(1, span);
			assertThat(next.token().first()).as("first token of grant %d", i).isGreaterThan(ended);
			for (LeaseGrant other : all) {
				assertThat(next.token().first() > other.token().last() || next.token().last() < other.token().first())
					.as("whether %s and %s have no token in common", next.token(), other.token())
					.isTrue();
			}
			all.add(next);
			if (i % 6 == 0) {
				assertThat(release(first(), next)).isTrue();
				ended = next.token().last();
			}
			else {
				standing.add(next);
			}
		}
	}

	@Test
	void ticksOfAKeyAreUnaffectedByGroups() {
		assumeThat(first().traits().ticks()).as("whether this store honours ticks").isTrue();
		forEachGroup((group) -> {
			String key = newKey();
			release(first(), acquire(first(), key, request(OwnerId.random(), longTtl(), 1, TICK)));
			LeaseGrant member = enter(first(), key, group);

			assertThat(attempt(second(), key, request(OwnerId.random(), longTtl(), 1, TICK)))
				.isInstanceOf(AttemptOutcome.Done.class);
			assertThat(attempt(second(), key, request(OwnerId.random(), longTtl(), 1, TICK.plusMillis(1))))
				.isInstanceOf(AttemptOutcome.Busy.class);
			release(first(), member);
			assertThat(attempt(second(), key, request(OwnerId.random(), longTtl(), 1, TICK)))
				.isInstanceOf(AttemptOutcome.Done.class);
			LeaseGrant next = acquire(second(), key, request(OwnerId.random(), longTtl(), 1, TICK.plusMillis(1)));
			release(second(), next);
		});
	}

}
