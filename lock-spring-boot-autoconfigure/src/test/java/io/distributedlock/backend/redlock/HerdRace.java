package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.Network.Weather;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Runs instances that wait for one lock and are all notified of its release at the same
 * moment, without any faults.
 */
final class HerdRace {

	private static final LockTarget TARGET = LockTarget.exclusive("key");

	private static final Duration TTL = Duration.ofSeconds(30);

	private final EventLoop loop = new EventLoop();

	private final SplittableRandom random;

	private final List<SimulatedNode> nodes = new ArrayList<>();

	private final List<ReleaseListener> listeners = new ArrayList<>();

	private final Network network;

	private final RedlockSettings settings;

	private final Sabotage sabotage;

	private long releasedAt = -1;

	private long grantedAt = -1;

	private HerdRace(long seed, int number, Sabotage sabotage) {
		this.random = new SplittableRandom(seed);
		this.sabotage = sabotage;
		this.network = new Network(this.loop, this.random.split(), new Weather(0, 0, 0));
		List<String> names = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			names.add("node" + i);
		}
		this.settings = new RedlockSettings(names, Duration.ofMillis(50), Duration.ofSeconds(60), true,
				Duration.ofHours(1), Duration.ofSeconds(2), "sim", "");
		for (int i = 0; i < number; i++) {
			SimulatedNode node = new SimulatedNode(this.loop, i, this.random.split(), sabotage.model()::apply);
			node.model.state = new NodeState.Voting(node.incarnation(), this.settings.configHash(),
					NodeHighWaterMark.NONE)
				.literal();
			this.nodes.add(node);
		}
	}

	/**
	 * Run a race.
	 * @param waiters how many instances wait
	 * @return how long after the release the lock was granted to one of them
	 */
	static Duration run(long seed, int number, int waiters, Sabotage sabotage) {
		return new HerdRace(seed, number, sabotage).run(waiters);
	}

	private Duration run(int waiters) {
		SimulatedClock clock = new SimulatedClock(this.loop, this.random.split(), true);
		BackendConnection holder = instance(clock);
		at(20, () -> attempt(holder.contend(TARGET, () -> {
		}), (grant) -> at(300, () -> release(holder, grant))));
		for (int i = 0; i < waiters; i++) {
			waiter();
		}
		this.loop.runUntil(Duration.ofSeconds(40).toNanos());
		return Duration.ofNanos(this.grantedAt - this.releasedAt);
	}

	private void at(long millis, Runnable action) {
		this.loop.at(Duration.ofMillis(millis).toNanos(), action);
	}

	private BackendConnection instance(SimulatedClock clock) {
		List<RedlockNode> ways = new ArrayList<>();
		for (int i = 0; i < this.nodes.size(); i++) {
			ways.add(this.sabotage.wrap().apply(new Heard(this.network.node(this.nodes.get(i), i, clock))));
		}
		SplittableRandom own = this.random.split();
		return new RedlockLockBackend(() -> ways, this.settings, clock, new RandomSource(() -> own),
				RedlockListener.NONE)
			.connect((ownerId) -> {
			});
	}

	private void release(BackendConnection holder, LeaseGrant grant) {
		this.releasedAt = this.loop.now();
		holder.release(grant, Duration.ZERO);
		for (ReleaseListener listener : this.listeners) {
			this.loop.at(this.loop.now() + 300_000 + this.random.nextLong(300_000),
					() -> listener.released(TARGET.key()));
		}
	}

	private void waiter() {
		SimulatedClock clock = new SimulatedClock(this.loop, this.random.split(), true);
		BackendConnection connection = instance(clock);
		Waiting waiting = new Waiting(clock);
		waiting.contender = connection.contend(TARGET, waiting::attempt);
		this.loop.at(Duration.ofMillis(50).toNanos() + this.random.nextLong(50_000_000), waiting::attempt);
	}

	private void attempt(Contender contender, Consumer<LeaseGrant> granted) {
		contender.attempt(request()).thenAccept((outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted one) {
				granted.accept(one.grant());
			}
		});
	}

	private LeaseRequest request() {
		OwnerId owner = new OwnerId("%016x%016x".formatted(this.random.nextLong(), this.random.nextLong()));
		return new LeaseRequest(owner, TTL, 1, null, true, Duration.ofSeconds(2), Duration.ZERO);
	}

	/**
	 * Waits as the engine does: one attempt at a time, and the next after its delay or a
	 * release.
	 */
	private final class Waiting {

		private final SimulatedClock clock;

		private Contender contender;

		private boolean attempting;

		private boolean again;

		private int number;

		Waiting(SimulatedClock clock) {
			this.clock = clock;
		}

		void attempt() {
			if (this.attempting) {
				this.again = true;
				return;
			}
			if (HerdRace.this.grantedAt >= 0) {
				return;
			}
			this.attempting = true;
			this.again = false;
			this.number++;
			this.contender.attempt(request()).thenAccept(this::ended);
		}

		private void ended(AttemptOutcome outcome) {
			this.attempting = false;
			if (outcome instanceof AttemptOutcome.Granted) {
				if (HerdRace.this.grantedAt < 0) {
					HerdRace.this.grantedAt = HerdRace.this.loop.now();
				}
			}
			else if (this.again) {
				attempt();
			}
			else if (outcome instanceof AttemptOutcome.Busy busy) {
				int before = this.number;
				this.clock.schedule(busy.pollAfter(), () -> {
					if (this.number == before) {
						attempt();
					}
				});
			}
		}

	}

	/**
	 * A route to a node. The race notifies its listener of releases.
	 */
	private final class Heard implements RedlockNode {

		private final RedlockNode way;

		Heard(RedlockNode way) {
			this.way = way;
		}

		@Override
		public String name() {
			return this.way.name();
		}

		@Override
		public CompletionStage<NodeSession> connect() {
			return this.way.connect();
		}

		@Override
		public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
			HerdRace.this.listeners.add(listener);
			return CompletableFuture.completedStage(() -> HerdRace.this.listeners.remove(listener));
		}

		@Override
		public void close() {
			this.way.close();
		}

	}

}
