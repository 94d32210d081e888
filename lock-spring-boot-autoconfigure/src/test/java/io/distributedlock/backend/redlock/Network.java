package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.scan.KeyBatch;

/**
 * Connects clients and nodes. It delays messages but keeps those of a connection in
 * order, cuts connections, and executes their requests late or twice.
 */
final class Network {

	private static final long MILLI = 1_000_000;

	/**
	 * How late a node may execute a request.
	 */
	static final long LATEST_NANOS = 2_200 * MILLI;

	// Without a stack trace, since there are millions of them.
	private static final Exception GONE = new Exception("the connection is gone", null, false, false) {
	};

	private final EventLoop loop;

	private final SplittableRandom random;

	private final Weather weather;

	int late;

	int twice;

	Network(EventLoop loop, SplittableRandom random, Weather weather) {
		this.loop = loop;
		this.random = random;
		this.weather = weather;
	}

	private long delay() {
		long usual = 100_000 + this.random.nextLong(400_000);
		return (this.random.nextDouble() < this.weather.slow()) ? usual + this.random.nextLong(120 * MILLI) : usual;
	}

	RedlockNode node(SimulatedNode server, int index, SimulatedClock client) {
		return new Way(server, index, client);
	}

	/**
	 * The rates of faults.
	 *
	 * @param slow the share of messages that are slow
	 * @param cut the share of messages that end their connection
	 * @param twice the share of requests that are executed twice
	 */
	record Weather(double slow, double cut, double twice) {
	}

	private final class Way implements RedlockNode {

		private final SimulatedNode server;

		private final int index;

		private final SimulatedClock client;

		Way(SimulatedNode server, int index, SimulatedClock client) {
			this.server = server;
			this.index = index;
			this.client = client;
		}

		@Override
		public String name() {
			return "node" + this.index;
		}

		@Override
		public CompletionStage<NodeSession> connect() {
			CompletableFuture<NodeSession> connected = new CompletableFuture<>();
			Network.this.loop.at(Network.this.loop.now() + delay(), () -> {
				if (!this.server.isUp()) {
					this.client.deliver(() -> connected.completeExceptionally(GONE));
					return;
				}
				Connection connection = new Connection(this.server, this.client);
				this.server.connected(connection);
				Network.this.loop.at(Network.this.loop.now() + delay(),
						() -> this.client.deliver(() -> connected.complete(connection)));
			});
			return connected;
		}

		@Override
		public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
			return CompletableFuture.failedStage(new UnsupportedOperationException());
		}

		@Override
		public void close() {
		}

	}

	/**
	 * A connection. Both sides notice its end with a delay.
	 */
	final class Connection implements NodeSession {

		private final SimulatedNode server;

		private final SimulatedClock client;

		private final NodeIdentity identity;

		private final int life;

		private final List<CompletableFuture<?>> open = new ArrayList<>();

		private final List<Runnable> listeners = new ArrayList<>();

		private long lastUp;

		private long lastDown;

		private boolean cut;

		private boolean over;

		Connection(SimulatedNode server, SimulatedClock client) {
			this.server = server;
			this.client = client;
			this.identity = server.identity();
			this.life = server.life();
		}

		boolean isOver() {
			return this.over;
		}

		void serverGone() {
			cut();
		}

		/**
		 * Answer no request from now on. The client notices it soon.
		 */
		void cut() {
			if (this.cut) {
				return;
			}
			this.cut = true;
			Network.this.loop.at(Network.this.loop.now() + delay(), () -> this.client.deliver(this::end));
		}

		private void end() {
			if (this.over) {
				return;
			}
			this.cut = true;
			this.over = true;
			List.copyOf(this.open).forEach((answer) -> answer.completeExceptionally(GONE));
			this.open.clear();
			this.listeners.forEach(Runnable::run);
		}

		private <T> CompletionStage<NodeAnswer<T>> call(Function<NodeModel, T> script) {
			if (this.over) {
				return CompletableFuture.failedStage(GONE);
			}
			CompletableFuture<NodeAnswer<T>> answer = new CompletableFuture<>();
			this.open.add(answer);
			if (Network.this.random.nextDouble() < Network.this.weather.cut()) {
				cut();
			}
			this.lastUp = Math.max(this.lastUp, Network.this.loop.now() + delay());
			Network.this.loop.at(this.lastUp, () -> arrive(script, answer));
			if (Network.this.random.nextDouble() < Network.this.weather.twice()) {
				Network.this.loop.at(this.lastUp + Network.this.random.nextLong(1500 * MILLI), () -> {
					if (runsStill()) {
						Network.this.twice++;
						script.apply(this.server.model);
					}
				});
			}
			return answer;
		}

		private boolean runsStill() {
			return this.server.isUp() && this.server.life() == this.life;
		}

		private <T> void arrive(Function<NodeModel, T> script, CompletableFuture<NodeAnswer<T>> answer) {
			if (!runsStill()) {
				return;
			}
			if (this.server.hangsUntil() > Network.this.loop.now()) {
				Network.this.loop.at(this.server.hangsUntil(), () -> arrive(script, answer));
				return;
			}
			if (this.cut) {
				// The server may execute what it has read after the client has noticed
				// the end.
				if (Network.this.random.nextBoolean()) {
					Network.this.late++;
					long late = Network.this.random.nextLong(1200 * MILLI);
					Network.this.loop.at(Network.this.loop.now() + late, () -> {
						if (runsStill()) {
							script.apply(this.server.model);
						}
					});
				}
				return;
			}
			NodeAnswer<T> said = new NodeAnswer<>(script.apply(this.server.model), this.server.model.micros());
			this.lastDown = Math.max(this.lastDown, Network.this.loop.now() + delay());
			Network.this.loop.at(this.lastDown, () -> {
				if (!this.cut) {
					this.client.deliver(() -> {
						if (!this.over) {
							this.open.remove(answer);
							answer.complete(said);
						}
					});
				}
			});
		}

		@Override
		public NodeIdentity identity() {
			return this.identity;
		}

		@Override
		public CompletionStage<NodeAnswer<NodeIdentity>> identify() {
			return call((model) -> this.server.identity());
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
			return call((model) -> model.acquire(request));
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
			return call((model) -> model.release(release));
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
			if (this.over) {
				listener.run();
			}
			else {
				this.listeners.add(listener);
			}
		}

		@Override
		public void close() {
			end();
		}

	}

}
