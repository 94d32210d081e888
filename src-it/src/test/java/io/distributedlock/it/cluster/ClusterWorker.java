package io.distributedlock.it.cluster;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * One thread of a JVM. It takes one lock after another, in different ways.
 */
final class ClusterWorker implements Runnable {

	private final LockTemplate locks;

	private final Counters counters;

	private final ClusterLog log;

	private final ClusterProperties properties;

	private final Random random;

	ClusterWorker(LockTemplate locks, Counters counters, ClusterLog log, ClusterProperties properties, long seed) {
		this.locks = locks;
		this.counters = counters;
		this.log = log;
		this.properties = properties;
		this.random = new Random(seed);
	}

	@Override
	public void run() {
		while (!Meeting.isOver(this.properties.folder())) {
			String key = this.properties.keys().get(this.random.nextInt(this.properties.keys().size()));
			try {
				lock(LockRequest.of(key).waitTime(this.properties.waitTime()), System.nanoTime());
			}
			catch (LockBusyException ex) {
				// A busy lock is expected.
			}
			catch (LockException | SQLException ex) {
				System.out.println("fault: " + ex);
			}
			pause();
		}
	}

	private void lock(LockRequest request, long askedAt) throws SQLException {
		switch (this.random.nextInt(3)) {
			case 0 -> this.locks.executeWithoutResult(request, (lease) -> body(lease, askedAt));
			case 1 ->
				this.locks.tryExecuteWithoutResult(request.waitTime(Duration.ZERO), (lease) -> body(lease, askedAt));
			default -> {
				try (Lease lease = this.locks.acquire(request)) {
					body(lease, askedAt);
				}
			}
		}
	}

	private void body(Lease lease, long askedAt) throws SQLException {
		String key = lease.key();
		this.log.granted(key, lease, askedAt);
		boolean failed = true;
		try {
			if (this.properties.counting()) {
				this.counters.count(key, this::pause);
			}
			failed = false;
		}
		finally {
			this.log.ended(key, lease, failed);
		}
	}

	private void pause() {
		long longest = this.properties.pause().toNanos();
		if (longest > 0) {
			LockSupport.parkNanos(this.random.nextLong(longest));
		}
	}

}
