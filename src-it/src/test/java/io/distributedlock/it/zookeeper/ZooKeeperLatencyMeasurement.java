package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

import io.distributedlock.Lease;
import io.distributedlock.it.process.JavaProcesses;

/**
 * Measures how long an acquisition and a release take over a network with a delay,
 * compared with the mutex of Curator. It only prints the results.
 */
public final class ZooKeeperLatencyMeasurement {

	private static final Duration DELAY = Duration.ofMillis(20);

	private static final int ROUNDS = 100;

	private ZooKeeperLatencyMeasurement() {
	}

	public static void main(String[] args) throws Exception {
		ZooKeeperProcess server = ZooKeeperProcess.standalone(new JavaProcesses());
		ProxyRoute route = ProxyRoute.to(server.port());
		route.proxy().delay(DELAY);
		try (ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> route, "/latency", Duration.ofSeconds(20));
				CuratorFramework curator = CuratorFrameworkFactory.builder()
					.connectString(route.connectString())
					.ensembleTracker(false)
					.retryPolicy(new RetryOneTime(100))
					.build()) {
			curator.start();
			curator.blockUntilConnected();
			measure("ours", () -> {
				long begun = System.nanoTime();
				Lease lease = engine.template().acquire("key");
				long acquired = System.nanoTime();
				lease.release();
				return new long[] { acquired - begun, System.nanoTime() - acquired };
			});
			InterProcessMutex mutex = new InterProcessMutex(curator, "/mutex");
			measure("Curator's mutex", () -> {
				long begun = System.nanoTime();
				mutex.acquire();
				long acquired = System.nanoTime();
				mutex.release();
				return new long[] { acquired - begun, System.nanoTime() - acquired };
			});
		}
		server.kill();
	}

	private static void measure(String name, Callable<long[]> round) throws Exception {
		long[] acquisitions = new long[ROUNDS];
		long[] releases = new long[ROUNDS];
		round.call();
		for (int i = 0; i < ROUNDS; i++) {
			long[] times = round.call();
			acquisitions[i] = times[0];
			releases[i] = times[1];
		}
		System.out.printf("%s, with %d ms each round trip: p50 of acquire %.1f ms, of release %.1f ms%n", name,
				DELAY.toMillis(), median(acquisitions), median(releases));
	}

	private static double median(long[] times) {
		Arrays.sort(times);
		return times[times.length / 2] / 1e6;
	}

}
