package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.Arrays;

import io.etcd.jetcd.Client;

import io.distributedlock.Lease;
import io.distributedlock.it.net.TcpProxy;

/**
 * Measures how long an acquisition and a release take when each round trip takes 20 ms
 * longer. It only prints the results.
 */
public final class EtcdLatencyMeasurement {

	private static final Duration ROUND_TRIP = Duration.ofMillis(20);

	private static final int TIMES = 300;

	private EtcdLatencyMeasurement() {
	}

	public static void main(String[] args) {
		try (TcpProxy proxy = TcpProxy.to(EtcdServer.process().port());
				Client client = Client.builder().endpoints("http://127.0.0.1:" + proxy.port()).build();
				EtcdTestEngine engine = new EtcdTestEngine(client, Duration.ofSeconds(10))) {
			for (int i = 0; i < TIMES; i++) {
				engine.template().acquire(EtcdTestClient.newKey()).release();
			}
			proxy.delay(ROUND_TRIP);
			long[] acquisitions = new long[TIMES];
			long[] releases = new long[TIMES];
			for (int i = 0; i < TIMES; i++) {
				long begun = System.nanoTime();
				Lease lease = engine.template().acquire(EtcdTestClient.newKey());
				long acquired = System.nanoTime();
				lease.release();
				acquisitions[i] = acquired - begun;
				releases[i] = System.nanoTime() - acquired;
			}
			print("acquire", acquisitions);
			print("release", releases);
			proxy.delay(Duration.ZERO);
		}
	}

	private static void print(String what, long[] nanos) {
		Arrays.sort(nanos);
		System.out.printf("%s with %d ms a round trip: p50 %.1f ms, p99 %.1f ms%n", what, ROUND_TRIP.toMillis(),
				nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 99 / 100] / 1e6);
	}

}
