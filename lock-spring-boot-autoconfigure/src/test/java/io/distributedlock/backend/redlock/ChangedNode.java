package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.scan.KeyBatch;

/**
 * A route to a node on which messages are changed, as if the client left out a rule when
 * sending or reading them.
 *
 * @param node the node
 * @param asks changes requests for votes
 * @param votes changes votes on exclusive locks
 * @param entries changes votes on members of groups
 * @param states changes the node's state when it is written and when it is read
 * @param releases changes release requests
 */
record ChangedNode(RedlockNode node, UnaryOperator<NodeSession.VoteRequest> asks, UnaryOperator<NodeVote> votes,
		UnaryOperator<NodeVote> entries, UnaryOperator<String> states,
		UnaryOperator<NodeSession.ReleaseRequest> releases) implements RedlockNode {

	static ChangedNode of(RedlockNode node) {
		return new ChangedNode(node, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(),
				UnaryOperator.identity(), UnaryOperator.identity());
	}

	ChangedNode withEntries(UnaryOperator<NodeVote> other) {
		return new ChangedNode(this.node, this.asks, this.votes, other, this.states, this.releases);
	}

	ChangedNode withAsks(UnaryOperator<NodeSession.VoteRequest> other) {
		return new ChangedNode(this.node, other, this.votes, this.entries, this.states, this.releases);
	}

	ChangedNode withVotes(UnaryOperator<NodeVote> other) {
		return new ChangedNode(this.node, this.asks, other, this.entries, this.states, this.releases);
	}

	ChangedNode withStates(UnaryOperator<String> other) {
		return new ChangedNode(this.node, this.asks, this.votes, this.entries, other, this.releases);
	}

	ChangedNode withReleases(UnaryOperator<NodeSession.ReleaseRequest> other) {
		return new ChangedNode(this.node, this.asks, this.votes, this.entries, this.states, other);
	}

	@Override
	public String name() {
		return this.node.name();
	}

	@Override
	public CompletionStage<NodeSession> connect() {
		return this.node.connect().thenApply(Changed::new);
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		return this.node.subscribe(listener);
	}

	@Override
	public void close() {
		this.node.close();
	}

	private final class Changed implements NodeSession {

		private final NodeSession session;

		Changed(NodeSession session) {
			this.session = session;
		}

		@Override
		public NodeIdentity identity() {
			return this.session.identity();
		}

		@Override
		public CompletionStage<NodeAnswer<NodeIdentity>> identify() {
			return this.session.identify();
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<String>>> state() {
			return this.session.state();
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next,
				NodeHighWaterMark atLeast) {
			return this.session.changeState(expected, ChangedNode.this.states.apply(next), atLeast);
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String state) {
			return this.session.highWaterMark(state);
		}

		@Override
		public CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request) {
			return this.session.acquire(ChangedNode.this.asks.apply(request))
				.thenApply((answer) -> new NodeAnswer<>(ChangedNode.this.votes.apply(answer.value()), answer.micros()));
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renew(String state, List<HeldLock> locks) {
			return this.session.renew(state, locks);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> reinstall(String state, HeldLock lock) {
			return this.session.reinstall(state, lock);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release) {
			return this.session.release(ChangedNode.this.releases.apply(release));
		}

		@Override
		public CompletionStage<NodeAnswer<List<NodeHolder>>> find(String key) {
			return this.session.find(key);
		}

		@Override
		public CompletionStage<KeyBatch> scan(String cursor, int count) {
			return this.session.scan(cursor, count);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis) {
			return this.session.forceRelease(key, cooldownMillis);
		}

		@Override
		public CompletionStage<NodeAnswer<NodeVote>> enter(EntryRequest request) {
			VoteRequest vote = ChangedNode.this.asks.apply(request.vote());
			return this.session.enter(new EntryRequest(request.mode(), request.permits(), vote))
				.thenApply(
						(answer) -> new NodeAnswer<>(ChangedNode.this.entries.apply(answer.value()), answer.micros()));
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renewMembers(String state,
				List<HeldMember> members) {
			return this.session.renewMembers(state, members);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> reinstallMember(String state, HeldMember member,
				long attemptMillis) {
			return this.session.reinstallMember(state, member, attemptMillis);
		}

		@Override
		public CompletionStage<NodeAnswer<LeaseStanding>> leave(ReleaseRequest release) {
			return this.session.leave(ChangedNode.this.releases.apply(release));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> closeDoor(String key, String waiter, long millis) {
			return this.session.closeDoor(key, waiter, millis);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> openDoor(String key, String waiter, boolean notifiesWaiters) {
			return this.session.openDoor(key, waiter, notifiesWaiters);
		}

		@Override
		public void onEnd(Runnable listener) {
			this.session.onEnd(listener);
		}

		@Override
		public void close() {
			this.session.close();
		}

	}

}
