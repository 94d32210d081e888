package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * One connection to a node, from INFO to its end. It never reconnects: a node can restart
 * only between two sessions, so what was learned at the begin of one holds until its end.
 * <p>
 * Each call is one script, or one command, that the node runs as one atomic step, and is
 * sent once. Calls are executed in the order in which they were made here, so that a
 * release follows the acquisition it undoes. Every answer brings the node's TIME with it,
 * taken inside the same step.
 * <p>
 * <strong>Failure.</strong> A session has no time-out: an answer may come late, and is
 * waited for by nobody then but looked at still. A call that is under way when the
 * connection ends fails, and it is unknown whether it was executed, or will be: a server
 * may execute what it has read of a connection that is gone. Any error answer (OOM,
 * NOPERM, READONLY …) fails the call alone, with a {@link NodeRefusedException} if it
 * lasts until somebody changes the node. NOSCRIPT ends the session, since the node has
 * perhaps restarted behind a proxy; the script is not loaded and sent again.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public interface NodeSession {

	/**
	 * Return what INFO said when the connection was opened.
	 * @return the node's identity
	 */
	NodeIdentity identity();

	/**
	 * Ask INFO again: a node can be made a replica, and a primary again, without a
	 * restart.
	 * @return the node's identity
	 */
	CompletionStage<NodeAnswer<NodeIdentity>> identify();

	/**
	 * Read the state of the node.
	 * @return the literal of the state key, or empty where there is none
	 */
	CompletionStage<NodeAnswer<Optional<String>>> state();

	/**
	 * Change the state of the node if it still is the expected one, and raise its marks,
	 * in one step: {@code if GET(state) == expected then SET state next; mark :=
	 * max(mark, atLeast)}. The state key never expires.
	 * @param expected the literal, or {@code null} where there must be none
	 * @param next the new literal
	 * @param atLeast what the marks are raised to; they never fall
	 * @return whether the state was changed
	 */
	CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next, NodeHighWaterMark atLeast);

	/**
	 * Read the marks of the node if its state is the expected one, in one step. The marks
	 * are the greatest last token, and the greatest tick, that any key was ever
	 * acknowledged with here.
	 * @param state the expected literal
	 * @return the marks, zeros where there are none; empty if the state is another one
	 */
	CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String state);

	/**
	 * Ask for the node's vote, in one step:
	 * <ol>
	 * <li>The state differs from the expected: {@link NodeVote.Quarantined}.
	 * <li>The lock, the counter or the marks have a form that this version does not
	 * write: {@link NodeVote.Unknown}. The kinds of groups are holders like others.
	 * <li>A tick is asked for, the lock does not have this value, and the stored tick is
	 * at least as great: {@link NodeVote.Done}. If it is smaller or there is none, but
	 * the wanted one is not above the tick floor, nor before 1970:
	 * {@link NodeVote.Abstained}.
	 * <li>The lock has another value: set the waiters' mark for
	 * {@link VoteRequest#markMillis()} unless that is zero; {@link NodeVote.Busy}.
	 * <li>The lock is free: SET with PX ttl. It has this value: lengthen it to the ttl,
	 * never shorten it.
	 * <li>There is no counter and {@code first <= TIME - retention / 2}:
	 * {@link NodeVote.Low} of that.
	 * <li>{@code first <= max(counter, floor)}: {@link NodeVote.Low} of that maximum.
	 * <li>Counter := first + span - 1, to be kept until that / 1000 + retention (a day at
	 * least where it has a tick); marks := max(marks, counter, tick);
	 * {@link NodeVote.Ack}.
	 * </ol>
	 * With a tick, the counter keeps the tick and the one before it, which
	 * {@link #release} puts back for an attempt that ended without a grant: if the stored
	 * one equals the wanted one, the one before stays as it is. Without a tick the stored
	 * one stays, and the one before it is dropped.
	 * @param request what is asked for
	 * @return the vote
	 */
	CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request);

	/**
	 * Lengthen the locks of leases that stand here, in one step: the lock has the value,
	 * and there is no counter or it is not above the lease's last token. With a greater
	 * counter the lock was set by a request that came late, after somebody else had been
	 * here. A ttl of zero only asks. Never sets what is not there: that is
	 * {@link #reinstall}.
	 * @param state the expected literal
	 * @param locks the locks
	 * @return for each lock whether its lease stands here, in their order, {@code null}
	 * if its counter is not understood; empty if the state is another one
	 */
	CompletionStage<NodeAnswer<Optional<List<@Nullable Boolean>>>> renew(String state, List<HeldLock> locks);

	/**
	 * Put a lock back on a node that lost it, in one step: if the state is the expected
	 * one, and there is no counter or it is not above the lease's last token, set the
	 * lock with PX ttl where it is free, and lengthen it where it has the value. A
	 * greater counter says that somebody was here since: this message was late.
	 * @param state the expected literal
	 * @param lock the lock
	 * @return whether the lock has the value now
	 */
	CompletionStage<NodeAnswer<Boolean>> reinstall(String state, HeldLock lock);

	/**
	 * Release a lock that has the given value, in one step, whatever the node's state:
	 * delete it, or set it to {@code cooldown} with PX; where a tick is withdrawn and the
	 * counter's equals it and has the one before with it, put that one back; where it is
	 * to be told and the waiters' mark is there, publish the key. Compares no token: the
	 * value belongs to one grant only.
	 * @param release what to release
	 * @return whether the lock had the value
	 */
	CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release);

	/**
	 * Read who holds a lock.
	 * @param key the key
	 * @return the holder, or empty where the lock is free or cools down
	 */
	CompletionStage<NodeAnswer<Optional<NodeHolder>>> find(String key);

	/**
	 * List the keys of which there are locks, page by page.
	 * @return the keys, some perhaps more than once
	 */
	CompletionStage<List<String>> keys();

	/**
	 * Take a lock away from its holder, in one step: if it has a value other than
	 * {@code cooldown}, delete it, or set it to {@code cooldown} with PX; if the waiters'
	 * mark is there, publish the key. Leaves a cooldown as it is.
	 * @param key the key
	 * @param cooldownMillis how long it stays unavailable, zero for none
	 * @return whether the lock had a holder here
	 */
	CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis);

	/**
	 * Be told when the session has ended, at once where it has already.
	 * @param listener is run once
	 */
	void onEnd(Runnable listener);

	/**
	 * Be told what the node refuses beside an answer: to tell waiters of a release.
	 * @param listener is told each time
	 */
	default void onRefusal(Consumer<NodeRefusedException> listener) {
	}

	/**
	 * End the session: what is under way fails.
	 */
	void close();

	/**
	 * What an attempt asks a node for.
	 *
	 * @param state the expected literal of the state key
	 * @param floor what the state says that tokens must be above
	 * @param tickFloor what the state says that ticks must be above to be told from those
	 * that were forgotten, in ms since 1970
	 * @param key the key
	 * @param value the value that the lock gets: owner id, bar, instance
	 * @param ttlMillis how long the node keeps it
	 * @param first the first token that is proposed
	 * @param span how many tokens are asked for
	 * @param tick the tick in ms since 1970, if any
	 * @param markMillis how long the mark of a waiter stays, zero for none
	 * @param retentionMillis how long the counter is kept after its last token's time
	 */
	record VoteRequest(String state, long floor, long tickFloor, String key, String value, long ttlMillis, long first,
			int span, @Nullable Long tick, long markMillis, long retentionMillis) {

		/**
		 * Return this request for a node that votes.
		 */
		VoteRequest at(String stateOfNode, NodeHighWaterMark floorOfNode) {
			return new VoteRequest(stateOfNode, floorOfNode.token(), floorOfNode.tick(), this.key, this.value,
					this.ttlMillis, this.first, this.span, this.tick, this.markMillis, this.retentionMillis);
		}

	}

	/**
	 * A lock that somebody believes to hold.
	 *
	 * @param key the key
	 * @param value the value that it should have
	 * @param ttlMillis how long the node is to keep it from now on at least
	 * @param last the last token of its lease
	 */
	record HeldLock(String key, String value, long ttlMillis, long last) {
	}

	/**
	 * A lock to release.
	 *
	 * @param key the key
	 * @param value the value that it must have
	 * @param cooldownMillis how long it stays unavailable, zero for none
	 * @param withdrawnTick the tick of an attempt that ended without a grant
	 * @param notifiesWaiters whether waiters are notified
	 */
	record ReleaseRequest(String key, String value, long cooldownMillis, @Nullable Long withdrawnTick,
			boolean notifiesWaiters) {
	}

}
