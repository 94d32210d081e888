package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;
import io.distributedlock.backend.redlock.Network.Weather;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;
import io.distributedlock.backend.redlock.SimulatedClient.Tallies;
import io.distributedlock.backend.redlock.SimulatedNode.Disk;

/**
 * Runs one history: a few clients and nodes for a few seconds. A seed decides all events.
 */
final class History {

	private static final long MILLI = 1_000_000;

	private static final Duration LENGTH = Duration.ofMillis(2400);

	/**
	 * The time after which no node may have anything left: a lease is held for up to two
	 * seconds, and a request that was executed once more may bring it back for one.
	 */
	private static final Duration QUIET = Duration.ofMillis(5200);

	private static final Duration MAX_TTL = Duration.ofSeconds(1);

	private static final long MOST_BACK_MICROS = Duration.ofMinutes(20).toMillis() * 1000;

	private final EventLoop loop = new EventLoop();

	private final SplittableRandom random;

	private final HistoryPlan plan;

	private final List<SimulatedNode> nodes = new ArrayList<>();

	private final List<SimulatedClient> clients = new ArrayList<>();

	private final Referee referee;

	private final Network network;

	private final RedlockSettings settings;

	private final Tallies tallies = new Tallies();

	private final boolean wallsAreRight;

	private int recoveries;

	private int jumps;

	private History(long seed, HistoryPlan plan) {
		this.random = new SplittableRandom(seed);
		this.plan = plan;
		this.referee = new Referee(this.loop, plan.trouble().locksLast());
		this.wallsAreRight = this.random.nextBoolean();
		boolean rough = this.random.nextInt(3) > 0;
		Weather weather = rough ? new Weather(0.05, 0.004, 0.01) : new Weather(0.005, 0, 0);
		this.network = new Network(this.loop, this.random.split(), weather);
		List<String> names = new ArrayList<>();
		for (int i = 0; i < plan.nodes(); i++) {
			names.add("node" + i);
		}
		this.settings = new RedlockSettings(names, Duration.ofMillis(50), MAX_TTL, true, Duration.ofHours(1),
				Duration.ofMillis(300), "sim", "");
		for (int i = 0; i < plan.nodes(); i++) {
			SimulatedNode node = new SimulatedNode(this.loop, i, this.random.split(), plan.sabotage().model()::apply);
			node.model.state = new NodeState.Voting(node.incarnation(), this.settings.configHash(),
					NodeHighWaterMark.NONE)
				.literal();
			if (plan.trouble() == Trouble.BAD_CLOCKS && this.random.nextBoolean()) {
				node.jump(this.random.nextLong(-MOST_BACK_MICROS / 2, MOST_BACK_MICROS / 2));
			}
			this.nodes.add(node);
		}
		int number = 2 + this.random.nextInt(plan.usage().hasGroups() ? 3 : 2);
		for (int i = 0; i < number; i++) {
			this.clients.add(client("client" + i));
		}
	}

	static Result run(long seed, HistoryPlan plan) {
		return new History(seed, plan).run();
	}

	private SimulatedClient client(String name) {
		SimulatedClock clock = new SimulatedClock(this.loop, this.random.split(), this.wallsAreRight);
		List<RedlockNode> ways = new ArrayList<>();
		for (int i = 0; i < this.nodes.size(); i++) {
			ways.add(this.plan.sabotage().wrap().apply(this.network.node(this.nodes.get(i), i, clock)));
		}
		SplittableRandom own = this.random.split();
		RedlockListener listener = (node, change, subject) -> this.jumps += (change == Change.CLOCK_JUMPED) ? 1 : 0;
		RedlockLockBackend backend = new RedlockLockBackend(() -> ways, this.settings, clock,
				new RandomSource(() -> own), listener);
		return new SimulatedClient(name, this.loop, clock, this.random.split(), this.referee, backend, this.plan,
				this.tallies);
	}

	private Result run() {
		this.clients.forEach(SimulatedClient::start);
		trouble();
		if (this.plan.sabotage().meddler() != Sabotage.NOBODY) {
			meddle(0);
		}
		watch();
		this.loop.runUntil(LENGTH.toNanos());
		this.clients.forEach(SimulatedClient::close);
		this.loop.runUntil(LENGTH.plus(QUIET).toNanos());
		List<String> violations = new ArrayList<>(this.referee.violations());
		for (SimulatedNode node : this.nodes) {
			for (String key : node.model.keys()) {
				if (this.plan.trouble().locksLast() && node.model.lock(key) != null) {
					violations.add("the lock on " + key + " is left at " + node.incarnation());
				}
			}
		}
		this.clients.forEach((client) -> client.connection().close());
		int acks = this.nodes.stream().mapToInt((node) -> node.model.acks).sum();
		int lows = this.nodes.stream().mapToInt((node) -> node.model.lows).sum();
		int reinstalls = this.nodes.stream().mapToInt((node) -> node.model.reinstalls).sum();
		return new Result(violations, this.tallies, this.loop.happened(), this.recoveries, this.network.late,
				this.network.twice, acks, lows, reinstalls, this.jumps, this.referee.runs(),
				this.referee.mostPermits());
	}

	private void trouble() {
		this.loop.at(this.loop.now() + this.random.nextLong(600 * MILLI), () -> {
			if (this.loop.now() < LENGTH.toNanos()) {
				happen();
				trouble();
			}
		});
	}

	private void happen() {
		int what = this.random.nextInt(10);
		SimulatedNode node = this.nodes.get(this.random.nextInt(this.nodes.size()));
		Trouble trouble = this.plan.trouble();
		if (what < 3) {
			SimulatedClient client = this.clients.get(this.random.nextInt(this.clients.size()));
			if (!client.clock().isStalled()) {
				client.clock().stall(this.random.nextLong(600 * MILLI));
			}
		}
		else if (what < 5 || trouble == Trouble.STALLS) {
			node.hang(this.random.nextLong(400 * MILLI));
		}
		else if (trouble == Trouble.BAD_CLOCKS && what < 8) {
			disturbTime(node);
		}
		else if (trouble == Trouble.CATASTROPHES || mayForget(node)) {
			forget(node);
		}
	}

	private boolean mayForget(SimulatedNode next) {
		long others = this.nodes.stream().filter((node) -> node != next && !node.votes()).count();
		return others < this.nodes.size() - this.settings.quorum();
	}

	private void forget(SimulatedNode node) {
		if (!node.isUp()) {
			return;
		}
		if (this.random.nextInt(3) == 0) {
			node.model.wipe();
			return;
		}
		node.crash();
		Disk disk = Disk.values()[this.random.nextInt(Disk.values().length)];
		this.loop.at(this.loop.now() + this.random.nextLong(200 * MILLI), () -> node.start(disk));
	}

	private void disturbTime(SimulatedNode node) {
		if (this.random.nextBoolean()) {
			node.model.locks.keySet().removeIf((key) -> this.random.nextBoolean());
			if (this.plan.usage().hasGroups()) {
				node.model.groups.loseMembers(this.random::nextBoolean);
			}
			return;
		}
		long most = (this.random.nextBoolean() ? 500_000 : MOST_BACK_MICROS);
		// Steps back are small: the order of tokens needs clocks that do not step back by
		// half of the retention.
		node.jump(this.random.nextBoolean() ? this.random.nextLong(most) : -this.random.nextLong(most / 10));
	}

	private void meddle(int round) {
		this.plan.sabotage().meddler().meddle(this.nodes, round, this.settings);
		if (this.loop.now() < LENGTH.toNanos()) {
			this.loop.at(this.loop.now() + 20 * MILLI, () -> meddle(round + 1));
		}
	}

	private void watch() {
		boolean[] voted = new boolean[this.nodes.size()];
		this.loop.at(50 * MILLI, () -> watch(voted));
	}

	private void watch(boolean[] voted) {
		for (int i = 0; i < voted.length; i++) {
			boolean votes = this.nodes.get(i).votes();
			if (votes && !voted[i] && this.loop.now() > 60 * MILLI) {
				this.recoveries++;
			}
			voted[i] = votes;
			if (this.random.nextInt(20) == 0) {
				this.nodes.get(i).save();
			}
		}
		if (this.loop.now() < LENGTH.plus(QUIET).toNanos() / 2) {
			this.loop.at(this.loop.now() + 50 * MILLI, () -> watch(voted));
		}
	}

	/**
	 * The result of a history.
	 */
	record Result(List<String> violations, Tallies tallies, long events, int recoveries, int late, int twice, int acks,
			int lows, int reinstalls, int jumps, int runs, int mostPermits) {
	}

}
