package io.distributedlock.contract;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Readers, writers and holders of permits of several clients compete for few locks, renew
 * them, crash, and are forced out.
 */
abstract class GroupRaceContract extends RaceContract {

	private static final int THREADS = 12;

	private static final int CLIENTS = 4;

	private static final int MOST_PERMITS = 4;

	private static final Duration COOLDOWN = Duration.ofMillis(20);

	@Test
	@Order(LockBackendContract.ALONE)
	@Tag(LockBackendContract.HISTORIES)
	@ResourceLock(LockBackendContract.PROCESSORS)
	void groupsAndWritersNeverMixAndPermitsAreNeverExceeded() {
		Set<LockMode> modes = EnumSet.of(LockMode.EXCLUSIVE);
		if (first().traits().sharedMode()) {
			modes.add(LockMode.SHARED);
		}
		if (first().traits().maxPermits() >= MOST_PERMITS) {
			modes.add(LockMode.PERMITS);
		}
		assumeThat(modes).as("the modes that this store offers").hasSizeGreaterThan(1);
		long seed = ThreadLocalRandom.current().nextLong();
		List<GroupSection> sections = List.of(new GroupSection(newKey(), clock()), new GroupSection(newKey(), clock()),
				new GroupSection(newKey(), clock()));
		client(CLIENTS - 1);
		RaceTime time = RaceTime.of(raceDuration());

		Crowd.of(THREADS).map((index) -> {
			Racer racer = new Racer(client(index % CLIENTS), List.copyOf(modes), new Random(seed + index));
			int rounds = 0;
			while (time.goesOn(() -> sections.stream().allMatch((section) -> section.isGranted(modes)))) {
				racer.visit(sections);
				rounds++;
			}
			return rounds;
		});

		assertThat(sections).as("sections of the race with seed %d", seed)
			.allSatisfy((section) -> assertThat(section.faults()).isEmpty());
		assertThat(sections).allMatch((section) -> section.isGranted(modes), "granted in each mode");
		elapse(crashTtl().plus(COOLDOWN));
		sections.forEach((section) -> assertFreeAfterRace(section.key()));
	}

	/**
	 * Return the TTL of leases that their holders forget.
	 */
	private Duration crashTtl() {
		Duration least = first().traits().minTtl();
		Duration brief = briefTtl().dividedBy(4);
		return (brief.compareTo(least) < 0) ? least : brief;
	}

	/**
	 * A thread of the race.
	 */
	private final class Racer {

		private final BackendConnection client;

		private final List<LockMode> modes;

		private final Random random;

		Racer(BackendConnection client, List<LockMode> modes, Random random) {
			this.client = client;
			this.modes = modes;
			this.random = random;
		}

		private void visit(List<GroupSection> sections) {
			GroupSection section = sections.get(this.random.nextInt(sections.size()));
			if (this.random.nextInt(100) == 0) {
				force(section);
			}
			LockMode mode = this.modes.get(this.random.nextInt(this.modes.size()));
			Group group = new Group(mode, (mode == LockMode.PERMITS) ? 1 + this.random.nextInt(MOST_PERMITS) : 0);
			boolean crash = canCrash() && this.random.nextInt(50) == 0;
			Contender contender = this.client.contend(group.on(section.key()), () -> {
			});
			GroupSection.Attempt first = section.attempt();
			int attempts = 1 + this.random.nextInt(3);
			for (int i = 0; i < attempts; i++) {
				LeaseRequest request = new LeaseRequest(OwnerId.random(), crash ? crashTtl() : longTtl(), span(mode),
						group.permits(), null, attempts > 1, TIMEOUT, TIMEOUT);
				AttemptOutcome outcome = get(contender.attempt(request));
				if (outcome instanceof AttemptOutcome.Granted granted) {
					section.enter(first, granted.grant(), group.permits());
					contender.withdraw();
					hold(section, contender, request, granted.grant(), crash);
					return;
				}
				refused(section, group, request, outcome);
			}
			contender.withdraw();
		}

		private int span(LockMode mode) {
			return (mode == LockMode.PERMITS) ? 1 : 1 + this.random.nextInt(4);
		}

		private boolean canCrash() {
			return this.client.traits().leaseKind() == BackendTraits.LeaseKind.PER_LOCK;
		}

		private void refused(GroupSection section, Group group, LeaseRequest request, AttemptOutcome outcome) {
			if (outcome instanceof AttemptOutcome.Unavailable && canDistrustAnswers()) {
				// As the engine does it.
				get(this.client.abandon(List.of(new Orphan(group.on(section.key()), request.ownerId()))));
				return;
			}
			section.expect(outcome instanceof AttemptOutcome.Busy, "neither granted nor busy: " + outcome);
			if (this.random.nextInt(20) == 0) {
				elapse(Duration.ofMillis(1 + this.random.nextInt(10)));
			}
			else {
				LockSupport.parkNanos(this.random.nextInt(300_000));
			}
		}

		private void hold(GroupSection section, Contender contender, LeaseRequest request, LeaseGrant grant,
				boolean crash) {
			LockSupport.parkNanos(this.random.nextInt(200_000));
			if (crash) {
				return;
			}
			if (this.random.nextInt(4) == 0) {
				renewInside(section, grant);
			}
			int forces = section.forces();
			boolean known = section.leave(grant);
			int dice = this.random.nextInt(20);
			if (dice == 0) {
				abandon(this.client, grant);
			}
			else {
				Boolean released = released(grant, (dice == 1) ? COOLDOWN : Duration.ZERO);
				boolean taken = !known || forces != section.forces() || grant.nanosLeft(now()) <= 0;
				section.expect(Boolean.TRUE.equals(released) || taken, "a release reported lost, or is unknown");
				if (released == null) {
					section.ended(grant);
					return;
				}
			}
			section.ended(grant);
			if (this.random.nextInt(10) == 0) {
				section.expect(!release(this.client, grant), "a second release found the lease");
				section.expect(renew(this.client, grant, longTtl()) instanceof RenewalOutcome.Lost,
						"a renewal found a released lease");
			}
		}

		/**
		 * Release a lease.
		 * @return whether it stood, or {@code null} if that is unknown: at some nodes it
		 * may have been taken away before, while others do not answer
		 */
		private Boolean released(LeaseGrant grant, Duration cooldown) {
			try {
				return release(this.client, grant, cooldown);
			}
			catch (AssertionError ex) {
				if (canSplitVotes()) {
					return null;
				}
				throw ex;
			}
		}

		private void renewInside(GroupSection section, LeaseGrant grant) {
			RenewalOutcome outcome = renew(this.client, grant, longTtl());
			if (outcome instanceof RenewalOutcome.Renewed renewed) {
				section.renewed(grant, renewed.validUntil());
			}
			else {
				section.expect(!section.isInside(grant) || outcome instanceof RenewalOutcome.Unknown,
						"a renewal reported lost");
			}
		}

		private void force(GroupSection section) {
			section.forceBegins();
			get(this.client.forceRelease(section.key(), this.random.nextBoolean() ? COOLDOWN : Duration.ZERO));
			section.forceEnds();
		}

	}

}
