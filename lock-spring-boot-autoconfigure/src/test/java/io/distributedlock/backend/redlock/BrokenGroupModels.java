package io.distributedlock.backend.redlock;

import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.backend.redlock.NodeMembers.EntryRequest;
import io.distributedlock.backend.redlock.NodeMembers.HeldMember;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;

/**
 * Models of nodes with scripts for groups that leave out a rule.
 */
final class BrokenGroupModels {

	private BrokenGroupModels() {
	}

	static Function<LongSupplier, NodeModel> nodesWith(Function<NodeModel, GroupModel> creation) {
		return (micros) -> new NodeModel(micros) {

			@Override
			GroupModel newGroups() {
				return creation.apply(this);
			}

		};
	}

	/**
	 * Lets a writer take the lock of a group.
	 */
	static class WithoutGate extends NodeModel {

		WithoutGate(LongSupplier micros) {
			super(micros);
		}

		@Override
		NodeVote acquire(VoteRequest request) {
			for (String key : request.keys()) {
				String holder = lock(key);
				if (holder != null && GroupModel.isGroup(holder)) {
					this.locks.remove(key);
				}
			}
			return super.acquire(request);
		}

	}

	/**
	 * Votes on members in any state.
	 */
	static class WithoutQuarantine extends GroupModel {

		WithoutQuarantine(NodeModel node) {
			super(node);
		}

		@Override
		NodeVote enter(EntryRequest request) {
			String real = this.node.state;
			this.node.state = request.vote().state();
			try {
				return super.enter(request);
			}
			finally {
				this.node.state = real;
			}
		}

	}

	/**
	 * Acknowledges tokens that are too low.
	 */
	static class WithoutCounter extends GroupModel {

		WithoutCounter(NodeModel node) {
			super(node);
		}

		@Override
		NodeVote low(EntryRequest request, NodeVote.Low low) {
			VoteRequest vote = request.vote();
			NodeVote entered = enter(new EntryRequest(request.mode(), request.permits(),
					new VoteRequest(vote.state(), vote.floor(), vote.tickFloor(), vote.keys(), vote.value(),
							vote.ttlMillis(), low.counter() + 1, vote.span(), vote.tick(), vote.markMillis(),
							vote.retentionMillis())));
			vote.keys()
				.forEach((key) -> this.node.setCounter(key, new NodeModel.Counter(low.counter(), 1, null, null, false),
						3_600_000));
			return entered;
		}

	}

	/**
	 * Lets members of both kinds enter the same group.
	 */
	static class MixedKinds extends GroupModel {

		MixedKinds(NodeModel node) {
			super(node);
		}

		@Override
		boolean excludes(String holder, String kind) {
			return !isGroup(holder);
		}

	}

	/**
	 * Lets more members enter than there are permits.
	 */
	static class NeverFull extends GroupModel {

		NeverFull(NodeModel node) {
			super(node);
		}

		@Override
		boolean isFull(int others, int permits) {
			return false;
		}

	}

	/**
	 * Leaves a member behind where tokens were too low.
	 */
	static class EntryWithLowTokens extends GroupModel {

		EntryWithLowTokens(NodeModel node) {
			super(node);
		}

		@Override
		NodeVote low(EntryRequest request, NodeVote.Low low) {
			VoteRequest vote = request.vote();
			vote.keys()
				.forEach((key) -> admit(key, NodeHolder.kind(request.mode()), vote.value(), vote.ttlMillis(),
						new Member(0, vote.last(), vote.span(), 0)));
			return low;
		}

	}

	/**
	 * Gives all members the expiry of the one that was renewed last.
	 */
	static class OneExpiry extends GroupModel {

		OneExpiry(NodeModel node) {
			super(node);
		}

		@Override
		void lengthen(HeldMember held, Member member) {
			super.lengthen(held, member);
			long until = this.node.millis() + held.lock().ttlMillis();
			members(held.lock().key()).replaceAll((value, other) -> other.until(until));
			setGate(held.lock().key(), held.lock().ttlMillis());
		}

	}

	/**
	 * Sets the lock to the TTL of the member that came or was renewed last.
	 */
	static class ShortenedGate extends GroupModel {

		ShortenedGate(NodeModel node) {
			super(node);
		}

		@Override
		void lengthenGate(String key, long ttlMillis) {
			setGate(key, ttlMillis);
		}

	}

	/**
	 * Does not extend the lock when a member is renewed.
	 */
	static class RenewalWithoutGate extends GroupModel {

		RenewalWithoutGate(NodeModel node) {
			super(node);
		}

		@Override
		void lengthen(HeldMember held, Member member) {
			String key = held.lock().key();
			long until = this.node.millis() + held.lock().ttlMillis();
			members(key).put(held.lock().value(), member.until(Math.max(until, member.expiresAt())));
		}

	}

	/**
	 * Shortens the lock to the next expiry after a release.
	 */
	static class LeastExpiry extends GroupModel {

		LeastExpiry(NodeModel node) {
			super(node);
		}

		@Override
		void shortenGate(String key, Map<String, Member> left) {
			super.shortenGate(key, left);
			left.values()
				.stream()
				.mapToLong(Member::expiresAt)
				.min()
				.ifPresent((least) -> setGate(key, least - this.node.millis()));
		}

	}

	/**
	 * Ends the group with the release of any member.
	 */
	static class AnyReleaseEndsTheGroup extends GroupModel {

		AnyReleaseEndsTheGroup(NodeModel node) {
			super(node);
		}

		@Override
		void shortenGate(String key, Map<String, Member> left) {
			left.clear();
			super.shortenGate(key, left);
		}

	}

	/**
	 * Lets the set of members end by the first member's TTL.
	 */
	static class SetThatEndsFirst extends GroupModel {

		SetThatEndsFirst(NodeModel node) {
			super(node);
		}

		@Override
		void keepBeside(String key, Map<String, Member> members) {
			NodeModel.Stored<Map<String, Member>> stored = this.sets.get(key);
			if (stored == null || stored.expiresAt() == Long.MAX_VALUE) {
				super.keepBeside(key, members);
			}
		}

	}

	/**
	 * Lets the members of an ended group live on in the next one.
	 */
	static class OldMembers extends GroupModel {

		OldMembers(NodeModel node) {
			super(node);
		}

		@Override
		void begin(String key) {
		}

	}

	/**
	 * Puts a member back in the script that renews, and counts it.
	 */
	static class RenewalThatReinstalls extends GroupModel {

		RenewalThatReinstalls(NodeModel node) {
			super(node);
		}

		@Override
		LeaseStanding renew(HeldMember held) {
			reinstall(held, 0);
			return super.renew(held);
		}

	}

	/**
	 * Counts a member that was put back at once.
	 */
	static class ReinstalledCountsAtOnce extends GroupModel {

		ReinstalledCountsAtOnce(NodeModel node) {
			super(node);
		}

		@Override
		boolean reinstall(HeldMember held, long attemptMillis) {
			return super.reinstall(held, 0);
		}

	}

}
