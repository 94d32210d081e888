package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.Network.Weather;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Instances that enter one group at the same moment, without any faults.
 */
final class MemberCrowd {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final EventLoop loop = new EventLoop();

	private final SplittableRandom random;

	private final LockMode mode;

	private final List<Duration> granted = new ArrayList<>();

	private int attempts;

	private MemberCrowd(long seed, LockMode mode) {
		this.random = new SplittableRandom(seed);
		this.mode = mode;
	}

	/**
	 * Let instances enter a group that has room for all of them.
	 * @return after what time each of them was granted, in this order
	 */
	static MemberCrowd run(long seed, int number, int instances, LockMode mode) {
		MemberCrowd crowd = new MemberCrowd(seed, mode);
		crowd.run(number, instances);
		return crowd;
	}

	List<Duration> granted() {
		return this.granted;
	}

	int attempts() {
		return this.attempts;
	}

	private void run(int number, int instances) {
		Network network = new Network(this.loop, this.random.split(), new Weather(0, 0, 0));
		List<String> names = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			names.add("node" + i);
		}
		RedlockSettings settings = new RedlockSettings(names, Duration.ofMillis(50), Duration.ofSeconds(60), true,
				Duration.ofHours(1), Duration.ofSeconds(2), "sim", "");
		List<SimulatedNode> nodes = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			SimulatedNode node = new SimulatedNode(this.loop, i, this.random.split(), NodeModel::new);
			node.model.state = new NodeState.Voting(node.incarnation(), settings.configHash(), NodeHighWaterMark.NONE)
				.literal();
			nodes.add(node);
		}
		for (int i = 0; i < instances; i++) {
			instance(network, settings, nodes, instances);
		}
		this.loop.runUntil(Duration.ofSeconds(10).toNanos());
	}

	private void instance(Network network, RedlockSettings settings, List<SimulatedNode> nodes, int permits) {
		SimulatedClock clock = new SimulatedClock(this.loop, this.random.split(), true);
		List<RedlockNode> ways = new ArrayList<>();
		for (int i = 0; i < nodes.size(); i++) {
			ways.add(network.node(nodes.get(i), i, clock));
		}
		SplittableRandom own = this.random.split();
		BackendConnection connection = new RedlockLockBackend(() -> ways, settings, clock, new RandomSource(() -> own),
				RedlockListener.NONE)
			.connect((ownerId) -> {
			});
		Contender contender = connection.contend(LockTarget.of("key", this.mode), () -> {
		});
		long start = Duration.ofMillis(50).toNanos();
		this.loop.at(start + this.random.nextLong(100_000),
				() -> attempt(contender, clock, start, (this.mode == LockMode.PERMITS) ? permits : 0));
	}

	private void attempt(Contender contender, SimulatedClock clock, long start, int permits) {
		this.attempts++;
		OwnerId owner = new OwnerId("%016x%016x".formatted(this.random.nextLong(), this.random.nextLong()));
		contender.attempt(new LeaseRequest(owner, TTL, 1, permits, null, true, Duration.ofSeconds(2), Duration.ZERO))
			.thenAccept((outcome) -> {
				if (outcome instanceof AttemptOutcome.Granted) {
					this.granted.add(Duration.ofNanos(this.loop.now() - start));
				}
				else if (outcome instanceof AttemptOutcome.Busy busy) {
					clock.schedule(busy.pollAfter(), () -> attempt(contender, clock, start, permits));
				}
				else {
					throw new IllegalStateException(outcome.toString());
				}
			});
	}

}
