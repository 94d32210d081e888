package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * One request after the other, by several clients and at random, is answered as the rules
 * of groups say.
 */
abstract class GroupHistoryContract extends PermitsContract {

	private static final int RUNS = 4;

	private static final int STEPS = 80;

	@Test
	void historiesOfOneKeyFollowTheRules() {
		List<LockMode> modes = new ArrayList<>(List.of(LockMode.EXCLUSIVE));
		if (first().traits().sharedMode()) {
			modes.add(LockMode.SHARED);
		}
		if (first().traits().maxPermits() > 0) {
			modes.add(LockMode.PERMITS);
		}
		assumeThat(modes).as("the modes that this store offers").hasSizeGreaterThan(1);
		for (int seed = 0; seed < RUNS; seed++) {
			History history = new History(modes, new Random(seed));
			try {
				history.run();
			}
			catch (AssertionError ex) {
				throw new AssertionError("History " + seed + " " + history.steps + ": " + ex.getMessage(), ex);
			}
		}
	}

	/**
	 * A random history of one key, and what is known of its state.
	 */
	private final class History {

		private final String key = newKey();

		private final List<String> steps = new ArrayList<>();

		private final List<Member> members = new ArrayList<>();

		private final List<Member> gone = new ArrayList<>();

		private final List<LockMode> modes;

		private final Random random;

		History(List<LockMode> modes, Random random) {
			this.modes = modes;
			this.random = random;
		}

		private void run() {
			for (int step = 0; step < STEPS; step++) {
				if (step == STEPS / 2 && first().traits().leaseKind() == BackendTraits.LeaseKind.PER_LOCK) {
					expire();
				}
				int dice = this.random.nextInt(20);
				if (dice < 10 || this.members.isEmpty()) {
					attempt(longTtl());
				}
				else if (dice < 14) {
					release(any(this.members));
				}
				else if (dice < 15) {
					abandonOne(any(this.members));
				}
				else if (dice < 17) {
					renewOne(any(this.members));
				}
				else if (dice < 18) {
					repeat(any(this.members));
				}
				else if (dice < 19) {
					inspect();
				}
				else {
					force();
				}
				if (!this.gone.isEmpty() && this.random.nextInt(4) == 0) {
					assertGone(any(this.gone));
				}
			}
			inspect();
			List.copyOf(this.members).forEach(this::release);
			assertFree(first(), this.key);
		}

		private Member any(List<Member> of) {
			return of.get(this.random.nextInt(of.size()));
		}

		private void attempt(Duration ttl) {
			LockMode mode = this.modes.get(this.random.nextInt(this.modes.size()));
			Group group = new Group(mode, (mode == LockMode.PERMITS) ? 1 + this.random.nextInt(4) : 0);
			int client = this.random.nextInt(3);
			boolean free = this.members.isEmpty() || mode != LockMode.EXCLUSIVE && this.members.get(0).mode() == mode
					&& (mode == LockMode.SHARED || this.members.size() < group.permits());
			this.steps.add(client + " asks for " + group + (free ? "" : ", busy"));
			LeaseRequest request = GroupPart.request(group, OwnerId.random(), ttl, 1);
			if (free) {
				this.members.add(new Member(client, request, granted(client, group, request)));
			}
			else {
				assertThat(ContractPart.attempt(client(client), group.on(this.key), request))
					.isInstanceOf(AttemptOutcome.Busy.class);
			}
		}

		private LeaseGrant granted(int client, Group group, LeaseRequest request) {
			LockTarget target = group.on(this.key);
			AttemptOutcome outcome = ContractPart.attempt(client(client), target, request);
			// What a refused attempt had at some of several nodes may still be there.
			long end = now() + lateness().toNanos();
			while (canSplitVotes() && outcome instanceof AttemptOutcome.Busy && end - now() > 0) {
				elapse(Duration.ofMillis(5));
				outcome = ContractPart.attempt(client(client), target, request);
			}
			assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
			return ((AttemptOutcome.Granted) outcome).grant();
		}

		private void release(Member member) {
			this.steps.add("release " + member.token());
			assertThat(ContractPart.release(client(member.client()), member.grant())).isTrue();
			end(member);
		}

		private void abandonOne(Member member) {
			this.steps.add("abandon " + member.token());
			abandon(client(member.client()), member.grant());
			end(member);
		}

		private void end(Member member) {
			this.members.remove(member);
			this.gone.add(member);
		}

		private void renewOne(Member member) {
			this.steps.add("renew " + member.token());
			assertThat(renew(client(member.client()), member.grant(), longTtl()))
				.isInstanceOf(RenewalOutcome.Renewed.class);
		}

		private void repeat(Member member) {
			this.steps.add("repeat " + member.token());
			assertSameGrant(ContractPart.attempt(client(member.client()), member.grant().target(), member.request()),
					member.grant());
		}

		private void force() {
			this.steps.add("force");
			assertThat(get(third().forceRelease(this.key, Duration.ZERO))).isTrue();
			this.gone.addAll(this.members);
			this.members.clear();
		}

		private void expire() {
			this.steps.add("expiry");
			List<Member> before = List.copyOf(this.members);
			attempt(briefTtl());
			letExpire(first(), briefTtl());
			List.copyOf(this.members).stream().filter((member) -> !before.contains(member)).forEach(this::end);
		}

		private void inspect() {
			List<Long> tokens = this.members.stream().map(Member::token).sorted().toList();
			assertThat(listed(first(), this.key)).extracting(LockInfo::fencingToken)
				.containsExactlyInAnyOrderElementsOf(tokens);
			assertThat(find(second(), this.key).map(LockInfo::fencingToken)).isEqualTo(tokens.stream().findFirst());
		}

		private void assertGone(Member member) {
			this.steps.add("lost " + member.token());
			assertThat(renew(client(member.client()), member.grant(), longTtl()))
				.isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(ContractPart.release(client(member.client()), member.grant())).isFalse();
		}

	}

	/**
	 * A lease of a history.
	 *
	 * @param client the index of the client that holds it
	 * @param request the request that it was granted to
	 * @param grant the lease
	 */
	private record Member(int client, LeaseRequest request, LeaseGrant grant) {

		LockMode mode() {
			return this.grant.target().mode();
		}

		long token() {
			return this.grant.token().last();
		}

	}

}
