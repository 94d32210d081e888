package io.distributedlock.backend.redlock;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

	private static VoteRequest firstOf(VoteRequest request) {
		return new VoteRequest(request.state(), request.floor(), request.tickFloor(), request.keys().subList(0, 1),
				request.value(), request.ttlMillis(), request.first(), request.span(), request.tick(),
				request.markMillis(), request.retentionMillis());
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
			String holder = lock(release.keys().get(0));
			return holder != null && super.release(new ReleaseRequest(release.keys(), holder, release.cooldownMillis(),
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
	 * Checks only whether the first of several keys is free.
	 */
	static class ChecksTheFirstKey extends NodeModel {

		ChecksTheFirstKey(LongSupplier micros) {
			super(micros);
		}

		@Override
		NodeVote acquire(VoteRequest request) {
			String holder = lock(request.keys().get(0));
			if (holder == null || holder.equals(request.value())) {
				request.keys().stream().filter((key) -> !request.value().equals(lock(key))).forEach(this.locks::remove);
			}
			return super.acquire(request);
		}

	}

	/**
	 * Compares tokens with the counter of only the first of several keys.
	 */
	static class CountsForTheFirstKey extends NodeModel {

		CountsForTheFirstKey(LongSupplier micros) {
			super(micros);
		}

		@Override
		NodeVote.@Nullable Low tooLow(VoteRequest request) {
			return super.tooLow(firstOf(request));
		}

	}

	/**
	 * Renews all locks of a message if one of them stands.
	 */
	static class RenewsIfOneStands extends NodeModel {

		RenewsIfOneStands(LongSupplier micros) {
			super(micros);
		}

		@Override
		Optional<List<LeaseStanding>> renew(String expected, List<HeldLock> held) {
			return super.renew(expected, held).map((standings) -> standings.contains(LeaseStanding.STANDS)
					? Collections.nCopies(held.size(), LeaseStanding.STANDS) : standings);
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
				NodeVote tokenVote(VoteRequest request) {
					String key = request.keys().get(0);
					long last = Math.max(last(key), request.floor()) + request.span();
					store(request, last);
					setCounter(key, new Counter(last, request.span(), null, null, false), micros());
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
