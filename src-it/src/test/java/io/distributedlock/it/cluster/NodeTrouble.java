package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;

import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.it.redlock.RedlockServers;

/**
 * Kills, pauses and cuts off the nodes of a Redlock at random, up to a number of nodes at
 * once. A node counts until it votes again.
 */
final class NodeTrouble implements Disturbance {

	private final List<RedisProcess> servers;

	private final List<TcpProxy> ways;

	private final Duration duration;

	private final int most;

	private final long seed;

	// Both are guarded by the monitor.
	private final Set<Integer> troubled = new HashSet<>();

	private final Map<Kind, Integer> done = new EnumMap<>(Kind.class);

	/**
	 * Create the trouble.
	 * @param servers the nodes
	 * @param ways the proxies through which the JVMs reach them
	 * @param duration how long it lasts
	 * @param most how many nodes at once at most
	 * @param seed the seed of the random numbers
	 */
	NodeTrouble(RedlockServers servers, List<TcpProxy> ways, Duration duration, int most, long seed) {
		this.servers = servers.all();
		this.ways = ways;
		this.duration = duration;
		this.most = most;
		this.seed = seed;
	}

	@Override
	public long happen(List<JavaProcess> jvms) throws Exception {
		long end = System.nanoTime() + this.duration.toNanos();
		List<CompletableFuture<Void>> makers = new ArrayList<>();
		for (int i = 0; i < this.most; i++) {
			Random random = new Random(this.seed + i);
			makers.add(CompletableFuture.runAsync(() -> make(random, end), (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Void> maker : makers) {
			maker.get();
		}
		long over = System.nanoTime();
		Disturbance.pass(Duration.ofSeconds(3));
		return over;
	}

	/**
	 * Return how often each kind of trouble has happened.
	 */
	synchronized Map<Kind, Integer> done() {
		return new EnumMap<>(this.done);
	}

	private void make(Random random, long end) {
		try {
			while (System.nanoTime() - end < 0) {
				Disturbance.pass(Duration.ofMillis(100 + random.nextInt(400)));
				int node = choose(random);
				Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
				trouble(node, kind, Duration.ofMillis(100 + random.nextInt(2900)));
				synchronized (this) {
					this.troubled.remove(node);
					this.done.merge(kind, 1, Integer::sum);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized int choose(Random random) {
		TreeSet<Integer> sound = new TreeSet<>();
		for (int i = 0; i < this.servers.size(); i++) {
			if (!this.troubled.contains(i)) {
				sound.add(i);
			}
		}
		int chosen = List.copyOf(sound).get(random.nextInt(sound.size()));
		this.troubled.add(chosen);
		return chosen;
	}

	private void trouble(int node, Kind kind, Duration length) throws InterruptedException {
		RedisProcess server = this.servers.get(node);
		switch (kind) {
			case RESTARTED_EMPTY -> {
				server.kill();
				Disturbance.pass(length);
				server.restartEmpty();
			}
			case RESTARTED_WITH_DATA -> {
				server.kill();
				Disturbance.pass(length);
				server.restart();
			}
			case PAUSED -> {
				server.pause();
				Disturbance.pass(length);
				server.resume();
			}
			case CUT_OFF -> {
				this.ways.get(node).cut();
				Disturbance.pass(length);
				this.ways.get(node).restore();
			}
			case SILENT -> {
				this.ways.get(node).answers().drop();
				Disturbance.pass(length);
				this.ways.get(node).restore();
			}
		}
		awaitVote(server);
	}

	private static void awaitVote(RedisProcess server) {
		Awaitility.await("the vote of the node on port " + server.port())
			.pollInterval(Duration.ofMillis(50))
			.atMost(Duration.ofSeconds(60))
			.ignoreExceptions()
			.until(() -> RedlockServers.ask(server.port(), (commands) -> {
				List<String> names = commands.keys("*redlock:state");
				return names.size() == 1 && commands.get(names.get(0)).startsWith("ok:")
						&& commands.get(names.get(0)).contains(runId(commands.info("server")));
			}));
	}

	private static String runId(String info) {
		return info.lines()
			.filter((line) -> line.startsWith("run_id:"))
			.map((line) -> line.substring("run_id:".length()).strip())
			.findFirst()
			.orElseThrow();
	}

	/**
	 * The kinds of trouble of a node.
	 */
	enum Kind {

		/**
		 * It is killed, and comes back without its data.
		 */
		RESTARTED_EMPTY,
		/**
		 * It is killed, and comes back with all acknowledged data.
		 */
		RESTARTED_WITH_DATA,
		/**
		 * It stands still.
		 */
		PAUSED,
		/**
		 * Its connections are closed, and there are no new ones.
		 */
		CUT_OFF,
		/**
		 * It executes its requests, but its answers are lost.
		 */
		SILENT

	}

}
