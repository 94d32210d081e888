package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.etcd.jetcd.Client;

import io.distributedlock.Lease;

/**
 * A JVM that holds a lock until it has lost it, and prints what happens. Its arguments
 * are the address of the etcd and the key.
 */
public final class EtcdHoldingJvm {

	/**
	 * Longer than the first answers take in a JVM that has just started, on a busy
	 * machine.
	 */
	private static final Duration SESSION_TTL = Duration.ofSeconds(8);

	private EtcdHoldingJvm() {
	}

	public static void main(String[] args) throws Exception {
		try (Client client = Client.builder().endpoints(args[0]).build();
				EtcdTestEngine engine = new EtcdTestEngine(client, SESSION_TTL)) {
			CountDownLatch told = new CountDownLatch(1);
			Lease lease = engine.template().acquire(args[1]);
			lease.onLost((lost) -> {
				System.out.println("notified");
				told.countDown();
			});
			System.out.println("held " + lease.fencingToken());
			while (lease.isHeld()) {
				LockSupport.parkNanos(1_000_000);
			}
			System.out.println("no longer held");
			System.out.println("release " + lease.release());
			told.await(10, TimeUnit.SECONDS);
			System.out.println("finished");
		}
	}

}
