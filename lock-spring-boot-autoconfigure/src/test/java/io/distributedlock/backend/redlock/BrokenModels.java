package io.distributedlock.backend.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.NodeSession.HeldLock;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.TokenRange;

/**
 * Models of nodes with scripts that leave out a rule.
 */
final class BrokenModels {

	private BrokenModels() {
	}

	/**
	 * Releases a lock regardless of its holder.
	 */
	static class WithoutOwnerCheck extends NodeModel {

		WithoutOwnerCheck(LongSupplier micros) {
			super(micros);
		}

		@Override
		boolean release(ReleaseRequest release) {
			String holder = lock(release.key());
			return holder != null && super.release(new ReleaseRequest(release.key(), holder, release.cooldownMillis(),
					release.withdrawnTick(), release.notifiesWaiters()));
		}

	}

	/**
	 * Puts a lock back in the script that renews, and counts it.
	 */
	static class RenewalThatReinstalls extends NodeModel {

		RenewalThatReinstalls(LongSupplier micros) {
			super(micros);
		}

		@Override
		boolean renew(HeldLock held) {
			if (lock(held.key()) == null) {
				setLock(held.key(), held.value(), held.ttlMillis());
				return true;
			}
			return super.renew(held);
		}

	}

	/**
	 * Counts locks of late messages for a lease, and puts them back, although another
	 * client was there since.
	 */
	static class WithoutCounters extends NodeModel {

		WithoutCounters(LongSupplier micros) {
			super(micros);
		}

		@Override
		boolean isOvertaken(HeldLock held) {
			return false;
		}

	}

	/**
	 * Votes in any state.
	 */
	static class WithoutQuarantine extends NodeModel {

		WithoutQuarantine(LongSupplier micros) {
			super(micros);
		}

		@Override
		NodeVote acquire(VoteRequest request) {
			String real = this.state;
			this.state = request.state();
			try {
				return super.acquire(request);
			}
			finally {
				this.state = real;
			}
		}

	}

	/**
	 * Nodes that each count for themselves, as in Redlock with INCR. The client takes the
	 * highest token.
	 */
	static final class Incrementing {

		private final Map<String, Long> highest = new HashMap<>();

		NodeModel node(LongSupplier micros) {
			return new NodeModel(micros) {

				@Override
				NodeVote tokenVote(VoteRequest request, @Nullable Counter counter) {
					long last = ((counter != null) ? counter.last() : Math.max(request.floor(), 0)) + request.span();
					store(request, counter, last);
					setCounter(request.key(), new Counter(last, request.span(), null, null, false), micros());
					Incrementing.this.highest.merge(request.value(), last, Math::max);
					return new NodeVote.Ack();
				}

			};
		}

		TokenRange tokens(LeaseGrant grant) {
			int count = grant.token().count();
			Long last = this.highest.get(grant.ownerId().value() + "|sim");
			return new TokenRange(last - count + 1, count);
		}

	}

}
