package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.Network.Weather;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Runs instances that request one tick at the same moment, without any faults.
 */
final class TickRace {

	private static final int INSTANCES = 5;

	private static final Instant TICK = Instant.ofEpochMilli(1_780_000_000_000L);

	private final EventLoop loop = new EventLoop();

	private final SplittableRandom random;

	private int runs;

	private TickRace(long seed) {
		this.random = new SplittableRandom(seed);
	}

	/**
	 * Run a race.
	 * @return how often the tick has run
	 */
	static int run(long seed, int number, Sabotage sabotage) {
		return new TickRace(seed).run(number, sabotage);
	}

	private int run(int number, Sabotage sabotage) {
		Network network = new Network(this.loop, this.random.split(), new Weather(0, 0, 0));
		List<String> names = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			names.add("node" + i);
		}
		RedlockSettings settings = new RedlockSettings(names, Duration.ofMillis(50), Duration.ofSeconds(1), true,
				Duration.ofHours(1), Duration.ofMillis(300), "sim", "");
		List<SimulatedNode> nodes = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			SimulatedNode node = new SimulatedNode(this.loop, i, this.random.split(), sabotage.model()::apply);
			node.model.state = new NodeState.Voting(node.incarnation(), settings.configHash(), NodeHighWaterMark.NONE)
				.literal();
			nodes.add(node);
		}
		for (int i = 0; i < INSTANCES; i++) {
			instance(nodes, network, settings, sabotage);
		}
		this.loop.runUntil(Duration.ofSeconds(2).toNanos());
		return this.runs;
	}

	private void instance(List<SimulatedNode> nodes, Network network, RedlockSettings settings, Sabotage sabotage) {
		SimulatedClock clock = new SimulatedClock(this.loop, this.random.split(), true);
		List<RedlockNode> ways = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			ways.add(sabotage.wrap().apply(network.node(nodes.get(i), i, clock)));
		}
		SplittableRandom own = this.random.split();
		BackendConnection connection = new RedlockLockBackend(() -> ways, settings, clock, new RandomSource(() -> own),
				RedlockListener.NONE)
			.connect((ownerId) -> {
			});
		clock.schedule(Duration.ofMillis(20).plusNanos(this.random.nextLong(300_000)),
				() -> attempt(connection, clock, this.loop.now() + Duration.ofMillis(500).toNanos()));
	}

	private void attempt(BackendConnection connection, SimulatedClock clock, long until) {
		OwnerId owner = new OwnerId("%016x%016x".formatted(this.random.nextLong(), this.random.nextLong()));
		LeaseRequest request = new LeaseRequest(owner, Duration.ofMillis(500), 1, TICK, false, Duration.ofMillis(300),
				Duration.ZERO);
		connection.contend(LockTarget.exclusive("job"), () -> {
		}).attempt(request).thenAccept((outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted granted) {
				this.runs++;
				clock.schedule(Duration.ofMillis(1), () -> connection.release(granted.grant(), Duration.ZERO));
			}
			else if (outcome instanceof AttemptOutcome.Busy busy && this.loop.now() < until) {
				clock.schedule(busy.pollAfter(), () -> attempt(connection, clock, until));
			}
		});
	}

}
