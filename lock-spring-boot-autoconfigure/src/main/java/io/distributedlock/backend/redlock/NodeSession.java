package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.scan.KeyBatch;

/**
 * One connection to a node, from INFO to its end. It never reconnects, so a node can
 * restart only between two sessions. What was learned at the beginning of a session holds
 * until its end.
 * <p>
 * Each call is one script or one command, which is sent once and which the node executes
 * as one atomic step. Each answer but that of {@link #scan} contains the node's TIME,
 * taken in the same step. Calls are executed in the order in which they were made here,
 * so a release follows the acquisition that it undoes.
 * <p>
 * <strong>Failure.</strong> A session has no timeout: an answer that arrives after its
 * caller has stopped waiting is still evaluated. A call under way when the connection
 * ends fails. Whether it was executed, or will be, is unknown: a server may execute what
 * it has read from a connection that is gone. An error answer (OOM, NOPERM, READONLY …)
 * fails only its call, with a {@link NodeRefusedException} if it lasts until the node is
 * changed. NOSCRIPT ends the session, since the node may have restarted behind a proxy.
 * The script is not loaded and sent again.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public interface NodeSession extends NodeMembers {

	/**
	 * Return the identity that INFO reported when the connection was opened.
	 * @return the node's identity
	 */
	NodeIdentity identity();

	/**
	 * Read INFO again, since a node can be made a replica, and a primary again, without a
	 * restart.
	 * @return the node's identity
	 */
	CompletionStage<NodeAnswer<NodeIdentity>> identify();

	/**
	 * Read the state of the node.
	 * @return the literal of the state key, or empty if it does not exist
	 */
	CompletionStage<NodeAnswer<Optional<String>>> state();

	/**
	 * Change the state of the node if it still is the expected one, and raise its marks,
	 * in one step: {@code if GET(state) == expected then SET state next; mark :=
	 * max(mark, atLeast)}. The state key never expires.
	 * @param expected the literal, or {@code null} if there must be none
	 * @param next the new literal
	 * @param atLeast the values that the marks are raised to; they never fall
	 * @return whether the state was changed
	 */
	CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next, NodeHighWaterMark atLeast);

	/**
	 * Read the marks of the node if its state is the expected one, in one step. No last
	 * token that the node has acknowledged for any key is above the first mark, which may
	 * be up to 100 ms ahead. The second is the greatest tick that it has acknowledged.
	 * @param state the expected literal
	 * @return the marks, zeros if they are not stored; empty if the state is another one
	 */
	CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String state);

	/**
	 * Ask for the node's vote on one key or on several, in one step. It is one answer for
	 * all of them: everything is checked for all keys before anything is written.
	 * <ol>
	 * <li>The state differs from the expected: {@link NodeVote.Quarantined}.
	 * <li>The lock or the counter has a form that this version does not write:
	 * {@link NodeVote.Unknown}. A group counts as a holder.
	 * <li>A tick is requested, the lock of the last key does not have this value, and the
	 * stored tick is at least as great: {@link NodeVote.Done}. If the stored tick is
	 * smaller or missing, but the requested one is neither above the tick floor nor
	 * before 1970: {@link NodeVote.Abstained}.
	 * <li>A lock has another value: set the waiters' mark of the first such key for
	 * {@link VoteRequest#markMillis()} unless that is zero; {@link NodeVote.Busy}.
	 * <li>The marks have a form that this version does not write, or a token would reach
	 * 2^53: {@link NodeVote.Unknown}.
	 * <li>The lock is free: set it with the TTL. It has this value: extend it to the TTL,
	 * never shorten it.
	 * <li>{@code first} is not above the floor and the counter of each key, or
	 * {@code TIME - retention / 2} without a counter: {@link NodeVote.Low} of the
	 * greatest of these.
	 * <li>Counter := first + span - 1, kept until that / 1000 + retention (at least a day
	 * if it has a tick); if the counter or the tick is above the marks, marks :=
	 * max(marks, counter + 100 ms, tick); {@link NodeVote.Ack}.
	 * </ol>
	 * With a tick, the counter stores the tick and the previous one, which
	 * {@link #release} restores for an attempt that ended without a grant. If the stored
	 * tick can still be withdrawn and equals the requested one, the previous one stays as
	 * it is. Without a tick the stored one stays, and the previous one is dropped.
	 * @param request the request
	 * @return the vote
	 */
	CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request);

	/**
	 * Extend the locks of leases that stand here, in one step. A lease stands if the lock
	 * has its value, and there is no counter or it is not above the lease's last token.
	 * With a greater counter, the lock was set by a late request after another client had
	 * held it. A TTL of zero only asks. A missing lock is never set; {@link #reinstall}
	 * does that.
	 * @param state the expected literal
	 * @param locks the locks
	 * @return for each lock, in order, whether its lease stands here; empty if the state
	 * is another one
	 */
	CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renew(String state, List<HeldLock> locks);

	/**
	 * Put a lock back on a node that lost it, in one step. This needs the expected state,
	 * and no counter or one that is not above the lease's last token. A free lock is then
	 * set with the TTL, and a lock with this value is extended. A greater counter shows
	 * that another client has been here since, so this message is late.
	 * @param state the expected literal
	 * @param lock the lock
	 * @return whether the lock has the value now
	 */
	CompletionStage<NodeAnswer<Boolean>> reinstall(String state, HeldLock lock);

	/**
	 * Release locks that have the given value, in one step, whatever the node's state.
	 * Each is deleted, or set to {@code cooldown} with an expiry. If the counter has the
	 * withdrawn tick and that can still be withdrawn, the previous tick is restored. If
	 * waiters are notified and their mark is present, the key is published. Tokens are
	 * not compared, since the value belongs to one grant only.
	 * @param release what to release
	 * @return whether all locks had the value
	 */
	CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release);

	/**
	 * Read the holders of a lock.
	 * @param key the key
	 * @return the exclusive holder, or the live members of the group; empty if the lock
	 * is free or cools down
	 */
	CompletionStage<NodeAnswer<List<NodeHolder>>> find(String key);

	/**
	 * Walk the keys of all locks.
	 * @param cursor where to begin
	 * @param count the approximate number of keys to look at
	 * @return the keys that were found, and where to go on
	 */
	CompletionStage<KeyBatch> scan(String cursor, int count);

	/**
	 * Take a lock away from its holder or its group, in one step. The lock is deleted, or
	 * set to {@code cooldown} with an expiry. If the waiters' mark is present, the key is
	 * published. A running cooldown stays as it is. A lock of an unknown form stays too,
	 * and the call fails.
	 * @param key the key
	 * @param cooldownMillis how long it stays unavailable, zero for no cooldown
	 * @return whether the lock had a holder here
	 */
	CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis);

	/**
	 * Register a listener for the end of the session. It is run at once if the session
	 * has already ended.
	 * @param listener is run once
	 */
	void onEnd(Runnable listener);

	/**
	 * Register a listener for refusals that do not fail a call: the node does not publish
	 * a release to waiters.
	 * @param listener receives each refusal
	 */
	default void onRefusal(Consumer<NodeRefusedException> listener) {
	}

	/**
	 * End the session. Calls under way fail.
	 */
	void close();

	/**
	 * The request of an attempt to a node.
	 *
	 * @param state the expected literal of the state key
	 * @param floor the floor in the state, above which tokens must be
	 * @param tickFloor the floor in the state up to which ticks may have been forgotten,
	 * in ms since 1970
	 * @param keys the keys, all or none
	 * @param value the value that each lock gets: owner id, bar, instance
	 * @param ttlMillis how long the node keeps it
	 * @param first the first proposed token of each key
	 * @param span how many tokens are requested
	 * @param tick the tick in ms since 1970, if any; it belongs to the last key
	 * @param markMillis how long the mark of a waiter stays, zero for no mark
	 * @param retentionMillis how long the counter is kept after its last token's time
	 */
	record VoteRequest(String state, long floor, long tickFloor, List<String> keys, String value, long ttlMillis,
			long first, int span, @Nullable Long tick, long markMillis, long retentionMillis) {

		/**
		 * Return this request for a node that votes.
		 */
		VoteRequest at(String stateOfNode, NodeHighWaterMark floorOfNode) {
			return new VoteRequest(stateOfNode, floorOfNode.token(), floorOfNode.tick(), this.keys, this.value,
					this.ttlMillis, this.first, this.span, this.tick, this.markMillis, this.retentionMillis);
		}

		/**
		 * Return the last token that is proposed for each key.
		 */
		long last() {
			return this.first + this.span - 1;
		}

	}

	/**
	 * The lock of a lease, as its holder knows it.
	 *
	 * @param key the key
	 * @param value the expected value
	 * @param ttlMillis how long the node must keep it from now on, at least
	 * @param last the last token of its lease
	 */
	record HeldLock(String key, String value, long ttlMillis, long last) {
	}

	/**
	 * The locks of a lease or an attempt, to release.
	 *
	 * @param keys the keys
	 * @param value the value that they must have
	 * @param cooldownMillis how long they stay unavailable, zero for no cooldown
	 * @param withdrawnTick the tick of an attempt that ended without a grant; it belongs
	 * to the last key
	 * @param notifiesWaiters whether waiters are notified
	 */
	record ReleaseRequest(List<String> keys, String value, long cooldownMillis, @Nullable Long withdrawnTick,
			boolean notifiesWaiters) {
	}

}
