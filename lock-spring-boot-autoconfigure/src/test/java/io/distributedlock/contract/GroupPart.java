package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Basic operations that the contract of groups is written with. A group of readers or of
 * permits takes the place of the exclusive holder.
 */
abstract class GroupPart extends RestartContract {

	/**
	 * More permits than a test takes without counting them.
	 */
	static final int AMPLE = 50;

	static LeaseRequest request(Group group, Duration ttl) {
		return request(group, OwnerId.random(), ttl, 1);
	}

	static LeaseRequest request(Group group, OwnerId ownerId, Duration ttl, int span) {
		return new LeaseRequest(ownerId, ttl, span, group.permits(), null, false, TIMEOUT, TIMEOUT);
	}

	static LeaseGrant enter(BackendConnection client, String key, Group group, LeaseRequest request) {
		AttemptOutcome outcome = attempt(client, group.on(key), request);
		assertThat(outcome).as("an attempt to enter %s on '%s'", group, key).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	static LeaseGrant enter(BackendConnection client, String key, Group group, Duration ttl) {
		return enter(client, key, group, request(group, ttl));
	}

	final LeaseGrant enter(BackendConnection client, String key, Group group) {
		return enter(client, key, group, longTtl());
	}

	final AttemptOutcome.Busy assertBusy(BackendConnection client, String key, Group group) {
		AttemptOutcome outcome = attempt(client, group.on(key), request(group, longTtl()));
		assertThat(outcome).as("an attempt to enter %s on '%s', which can't be had", group, key)
			.isInstanceOf(AttemptOutcome.Busy.class);
		return (AttemptOutcome.Busy) outcome;
	}

	/**
	 * Assert that a member can enter, and let it leave.
	 */
	final void assertOpen(BackendConnection client, String key, Group group) {
		assertThat(release(client, enter(client, key, group))).as("release of a member of %s", group).isTrue();
	}

	final Waiter waiter(BackendConnection client, String key, Group group) {
		return new Waiter(this, client, group.on(key), group.permits());
	}

	static void abandon(BackendConnection client, LeaseGrant grant) {
		get(client.abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));
	}

	static List<LockInfo> listed(BackendConnection client, String key) {
		return get(ListedLocks.all(client)).stream().filter((lock) -> lock.key().equals(key)).toList();
	}

	/**
	 * Return whether the store has reported that another client waits for this lease.
	 */
	final boolean isWanted(LeaseGrant grant) {
		return wanted().stream().anyMatch((other) -> other.ownerId().equals(grant.ownerId()));
	}

	/**
	 * Run a test with each kind of group that the store offers.
	 */
	final void forEachGroup(Consumer<Group> test) {
		List<Group> offered = new ArrayList<>();
		if (first().traits().sharedMode()) {
			offered.add(Group.READERS);
		}
		if (first().traits().maxPermits() >= AMPLE) {
			offered.add(Group.permits(AMPLE));
		}
		assumeThat(offered).as("the kinds of groups that this store offers").isNotEmpty();
		for (Group group : offered) {
			try {
				test.accept(group);
			}
			catch (AssertionError ex) {
				throw new AssertionError("With " + group + ": " + ex.getMessage(), ex);
			}
		}
	}

	final void assumeShared() {
		assumeThat(first().traits().sharedMode()).as("whether this store offers the mode SHARED").isTrue();
	}

	final void assumePermits() {
		assumeThat(first().traits().maxPermits()).as("the greatest number of permits that this store offers")
			.isPositive();
	}

	final void assumeBothGroups() {
		assumeShared();
		assumePermits();
	}

	/**
	 * How a group is requested.
	 *
	 * @param mode the mode
	 * @param permits the number of permits, zero for readers
	 */
	record Group(LockMode mode, int permits) {

		static final Group READERS = new Group(LockMode.SHARED, 0);

		static Group permits(int permits) {
			return new Group(LockMode.PERMITS, permits);
		}

		LockTarget on(String key) {
			return LockTarget.of(key, this.mode);
		}

	}

}
