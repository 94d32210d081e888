package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeSession.HeldLock;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;

/**
 * The calls for members of groups at one node. The lock of a group has the kind of the
 * group as its value, so it is taken for every exclusive request, and ends no earlier
 * than any live member. Each member has its own value, expiry and token. A member counts
 * until its own expiry and is never revived.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public interface NodeMembers {

	/**
	 * Ask for the node's vote on a new member of one group or of several, in one step.
	 * Everything is checked for all keys before anything is written.
	 * <ol>
	 * <li>The state differs from the expected: {@link NodeVote.Quarantined}.
	 * <li>The lock or the counter has an unknown form: {@link NodeVote.Unknown}.
	 * <li>The lock is held exclusively, cools down or has a group of another kind:
	 * {@link NodeVote.Busy}.
	 * <li>It is no member here, and the door is closed: {@link NodeVote.Busy}.
	 * <li>It is no member here, and as many others are live as it has permits:
	 * {@link NodeVote.Full}.
	 * <li>The marks have an unknown form, or a token would reach 2^53:
	 * {@link NodeVote.Unknown}.
	 * <li>The tokens are too low, as for an exclusive lock: {@link NodeVote.Low}. Nothing
	 * is changed, so a late request leaves no member that a renewal would count.
	 * <li>A free lock gets the kind as its value, and a group begins with an empty set.
	 * Then the member is added with its TTL and tokens, the lock is extended, never
	 * shortened, and the counter and marks are written: {@link NodeVote.Ack}, for permits
	 * with all other live members.
	 * </ol>
	 * @param request the request
	 * @return the vote
	 */
	CompletionStage<NodeAnswer<NodeVote>> enter(EntryRequest request);

	/**
	 * Extend live members, each with the lock of its group, in one step. A TTL of zero
	 * only asks.
	 * @param state the expected literal
	 * @param members the members
	 * @return for each member, in order, whether it stands here; empty if the state is
	 * another one
	 */
	CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renewMembers(String state, List<HeldMember> members);

	/**
	 * Put a member back on a node that lost it, in one step. This needs the expected
	 * state and a lock that is free or has a group of the same kind. If the counter is
	 * above the tokens of the lease, members that entered since may not have seen this
	 * one. It then is {@link LeaseStanding#TOO_NEW} for a time.
	 * @param state the expected literal
	 * @param member the member
	 * @param attemptMillis how long an attempt may be under way and still end in a lease
	 * @return whether it is a member now
	 */
	CompletionStage<NodeAnswer<Boolean>> reinstallMember(String state, HeldMember member, long attemptMillis);

	/**
	 * Release a member of one group or of several, in one step, whatever the node's
	 * state. With a cooldown it keeps its place for that time, without an owner. The lock
	 * is shortened to the latest expiry that is left, or deleted. If waiters are notified
	 * and their mark is present, the key is published, unless only readers were and are
	 * members.
	 * @param release what to release
	 * @return how the lease stood, at worst
	 */
	CompletionStage<NodeAnswer<LeaseStanding>> leave(ReleaseRequest release);

	/**
	 * Keep new members out of a group, also of one that begins later. The door is closed
	 * as long as any waiter keeps it so.
	 * @param key the key
	 * @param waiter the id of the waiter
	 * @param millis for how long, at least
	 * @return completed when the door is closed
	 */
	CompletionStage<NodeAnswer<Boolean>> closeDoor(String key, String waiter, long millis);

	/**
	 * No longer keep new members out.
	 * @param key the key
	 * @param waiter the id of the waiter
	 * @param notifiesWaiters whether waiters are notified if the door is open now
	 * @return whether it was opened; other waiters may keep it closed
	 */
	CompletionStage<NodeAnswer<Boolean>> openDoor(String key, String waiter, boolean notifiesWaiters);

	/**
	 * The request of an attempt to enter a group.
	 *
	 * @param mode the kind of the group
	 * @param permits how many members the only key may have with this one; zero for any
	 * number
	 * @param vote the rest of the request, without a tick
	 */
	record EntryRequest(LockMode mode, int permits, VoteRequest vote) {
	}

	/**
	 * The membership of a lease, as its holder knows it.
	 *
	 * @param mode the kind of the group
	 * @param lock the key, value, TTL and last token
	 * @param count how many tokens the lease has
	 */
	record HeldMember(LockMode mode, HeldLock lock, int count) {
	}

}
