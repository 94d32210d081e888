package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.Lease;

/**
 * A JVM that holds a lock in ZooKeeper for as long as it can, and prints until when it
 * considered the lock held. Its arguments are the address of the server, the root and the
 * key.
 */
public final class HoldingJvm {

	static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

	private HoldingJvm() {
	}

	public static void main(String[] args) {
		int port = Integer.parseInt(args[0]);
		try (ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> ProxyRoute.to(port), args[1],
				SESSION_TIMEOUT)) {
			Lease lease = engine.template().acquire(args[2]);
			AtomicInteger told = new AtomicInteger();
			lease.onLost((lost) -> told.incrementAndGet());
			System.out.println("held " + lease.fencingToken());
			long last = System.nanoTime();
			long next = last;
			while (lease.isHeld()) {
				last = next;
				LockSupport.parkNanos(1_000_000);
				next = System.nanoTime();
			}
			System.out.println("last held " + last);
			System.out.println("release " + lease.release());
			while (told.get() == 0) {
				LockSupport.parkNanos(1_000_000);
			}
			System.out.println("notified " + told.get());
		}
	}

}
