package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.scan.KeyBatch;
import io.distributedlock.spi.LockClock;

/**
 * A node that answers at once, to one thread at a time. It can be cut off, held back and
 * emptied.
 */
final class DirectNode {

	private static final long START_MICROS = 1_780_000_000_000_000L;

	private final String name;

	// This and all below is guarded by this object's monitor.
	final NodeModel model;

	private final Map<Object, ReleaseListener> listeners = new ConcurrentHashMap<>();

	private final List<Session> sessions = new ArrayList<>();

	private final List<Runnable> heldBack = new ArrayList<>();

	private String runId;

	private boolean replica;

	private boolean down;

	private boolean holdsBack;

	private long jumpedMicros;

	int acquires;

	int releases;

	DirectNode(String name, LockClock clock) {
		this.name = name;
		this.runId = name.replace(':', '-') + "-first";
		long origin = clock.nanoTime();
		this.model = new NodeModel(
				() -> START_MICROS + Math.floorDiv(clock.nanoTime() - origin, 1000L) + this.jumpedMicros);
	}

	RedlockNode way() {
		return new Way();
	}

	synchronized NodeIdentity identity() {
		return new NodeIdentity(this.runId, "r", this.replica, 0, false);
	}

	/**
	 * Make the node vote, as if it had never been emptied.
	 */
	synchronized DirectNode voting(RedlockSettings settings) {
		this.model.state = new NodeState.Voting(identity().incarnation(), settings.configHash(), NodeHighWaterMark.NONE)
			.literal();
		return this;
	}

	synchronized @Nullable String state() {
		return this.model.state;
	}

	synchronized void jump(long micros) {
		this.jumpedMicros += micros;
	}

	synchronized void becomeReplica() {
		this.replica = true;
	}

	void restart(boolean empty) {
		stop();
		synchronized (this) {
			this.runId = this.runId + "x";
			if (empty) {
				this.model.wipe();
			}
			this.down = false;
		}
	}

	void stop() {
		List<Session> all;
		synchronized (this) {
			this.down = true;
			all = List.copyOf(this.sessions);
			this.sessions.clear();
		}
		all.forEach(Session::close);
	}

	/**
	 * Hold back requests from now on.
	 */
	synchronized void holdBack() {
		this.holdsBack = true;
	}

	/**
	 * Forget the latest request that was held back.
	 */
	synchronized void dropLast() {
		this.heldBack.remove(this.heldBack.size() - 1);
	}

	/**
	 * Execute the requests that were held back, in order.
	 */
	void goOn() {
		List<Runnable> all;
		synchronized (this) {
			this.holdsBack = false;
			all = List.copyOf(this.heldBack);
			this.heldBack.clear();
		}
		all.forEach(Runnable::run);
	}

	private final class Way implements RedlockNode {

		@Override
		public String name() {
			return DirectNode.this.name;
		}

		@Override
		public CompletionStage<NodeSession> connect() {
			synchronized (DirectNode.this) {
				if (DirectNode.this.down) {
					return CompletableFuture.failedStage(new IllegalStateException("refused"));
				}
				Session session = new Session();
				DirectNode.this.sessions.add(session);
				return CompletableFuture.completedStage(session);
			}
		}

		@Override
		public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
			Object id = new Object();
			DirectNode.this.listeners.put(id, listener);
			return CompletableFuture.completedStage(() -> DirectNode.this.listeners.remove(id));
		}

		@Override
		public void close() {
		}

	}

	private final class Session implements NodeSession {

		private final NodeIdentity identity = DirectNode.this.identity();

		// Guarded by the node's monitor.
		private final List<CompletableFuture<?>> open = new ArrayList<>();

		private final List<Runnable> ends = new ArrayList<>();

		private boolean over;

		private <T> CompletionStage<NodeAnswer<T>> call(Function<NodeModel, T> script) {
			CompletableFuture<NodeAnswer<T>> answer = new CompletableFuture<>();
			synchronized (DirectNode.this) {
				if (this.over) {
					return CompletableFuture.failedStage(new IllegalStateException("over"));
				}
				this.open.add(answer);
				if (DirectNode.this.holdsBack) {
					DirectNode.this.heldBack.add(() -> run(script, answer));
					return answer;
				}
			}
			run(script, answer);
			return answer;
		}

		private <T> void run(Function<NodeModel, T> script, CompletableFuture<NodeAnswer<T>> answer) {
			NodeAnswer<T> said;
			List<String> told;
			synchronized (DirectNode.this) {
				this.open.remove(answer);
				said = new NodeAnswer<>(script.apply(DirectNode.this.model), DirectNode.this.model.micros());
				told = List.copyOf(DirectNode.this.model.published);
				DirectNode.this.model.published.clear();
			}
			// Not under the monitor, since listeners call other nodes.
			told.forEach((key) -> DirectNode.this.listeners.values().forEach((listener) -> listener.released(key)));
			answer.complete(said);
		}

		@Override
		public NodeIdentity identity() {
			return this.identity;
		}

		@Override
		public CompletionStage<NodeAnswer<NodeIdentity>> identify() {
			return call((model) -> DirectNode.this.identity());
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<String>>> state() {
			return call(NodeModel::state);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next,
				NodeHighWaterMark atLeast) {
			return call((model) -> model.changeState(expected, next, atLeast));
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String state) {
			return call((model) -> model.mark(state));
		}

		@Override
		public CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request) {
			return call((model) -> {
				DirectNode.this.acquires++;
				return model.acquire(request);
			});
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renew(String state, List<HeldLock> locks) {
			return call((model) -> model.renew(state, locks));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> reinstall(String state, HeldLock lock) {
			return call((model) -> model.reinstall(state, lock));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release) {
			return call((model) -> {
				DirectNode.this.releases++;
				return model.release(release);
			});
		}

		@Override
		public CompletionStage<NodeAnswer<List<NodeHolder>>> find(String key) {
			return call((model) -> model.find(key));
		}

		@Override
		public CompletionStage<KeyBatch> scan(String cursor, int count) {
			return call((model) -> model.scan(cursor, count)).thenApply(NodeAnswer::value);
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis) {
			return call((model) -> model.forceRelease(key, cooldownMillis));
		}

		@Override
		public CompletionStage<NodeAnswer<NodeVote>> enter(EntryRequest request) {
			return call((model) -> model.groups.enter(request));
		}

		@Override
		public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renewMembers(String state,
				List<HeldMember> members) {
			return call((model) -> model.renewMembers(state, members));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> reinstallMember(String state, HeldMember member,
				long attemptMillis) {
			return call((model) -> model.reinstallMember(state, member, attemptMillis));
		}

		@Override
		public CompletionStage<NodeAnswer<LeaseStanding>> leave(ReleaseRequest release) {
			return call((model) -> model.groups.leave(release));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> closeDoor(String key, String waiter, long millis) {
			return call((model) -> model.groups.closeDoor(key, waiter, millis));
		}

		@Override
		public CompletionStage<NodeAnswer<Boolean>> openDoor(String key, String waiter, boolean notifiesWaiters) {
			return call((model) -> model.groups.openDoor(key, waiter, notifiesWaiters));
		}

		@Override
		public void onEnd(Runnable listener) {
			synchronized (DirectNode.this) {
				if (!this.over) {
					this.ends.add(listener);
					return;
				}
			}
			listener.run();
		}

		@Override
		public void close() {
			List<CompletableFuture<?>> failed;
			synchronized (DirectNode.this) {
				if (this.over) {
					return;
				}
				this.over = true;
				failed = List.copyOf(this.open);
				DirectNode.this.sessions.remove(this);
			}
			failed.forEach((answer) -> answer.completeExceptionally(new IllegalStateException("closed")));
			this.ends.forEach(Runnable::run);
		}

	}

}
