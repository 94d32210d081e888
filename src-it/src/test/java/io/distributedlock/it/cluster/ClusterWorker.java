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
import io.distributedlock.it.cluster.ClusterRequests.Drawn;

/**
 * One thread of a JVM. It takes one lock after another, in different ways.
 */
final class ClusterWorker implements Runnable {

	private final LockTemplate locks;

	private final Counters counters;

	private final ClusterLog log;

	private final ClusterProperties properties;

	private final Random random;

	private final ClusterRequests requests;

	ClusterWorker(LockTemplate locks, Counters counters, ClusterLog log, ClusterProperties properties, long seed) {
		this.locks = locks;
		this.counters = counters;
		this.log = log;
		this.properties = properties;
		this.random = new Random(seed);
		this.requests = new ClusterRequests(properties, this.random);
	}

	@Override
	public void run() {
		for (int round = 0; goesOn(round); round++) {
			Drawn drawn = this.requests.next(round);
			try {
				lock(drawn, System.nanoTime());
			}
			catch (LockBusyException ex) {
				if (this.properties.patient()) {
					System.out.println("refused: " + ex);
				}
			}
			catch (LockException | SQLException ex) {
				System.out.println("fault: " + ex);
			}
			pause();
		}
	}

	private boolean goesOn(int round) {
		int rounds = this.properties.rounds();
		return (rounds > 0) ? round < rounds : !Meeting.isOver(this.properties.folder());
	}

	private void lock(Drawn drawn, long askedAt) throws SQLException {
		LockRequest request = drawn.request();
		switch (this.random.nextInt(this.properties.patient() ? 2 : 3)) {
			case 0 -> this.locks.executeWithoutResult(request, (lease) -> body(lease, drawn.mode(), askedAt));
			case 1 -> {
				try (Lease lease = this.locks.acquire(request)) {
					body(lease, drawn.mode(), askedAt);
				}
			}
			default -> this.locks.tryExecuteWithoutResult(request.waitTime(Duration.ZERO),
					(lease) -> body(lease, drawn.mode(), askedAt));
		}
	}

	private void body(Lease lease, RequestedMode mode, long askedAt) throws SQLException {
		this.log.granted(lease, mode, askedAt);
		boolean failed = true;
		try {
			if (this.properties.counting() && mode.isExclusive()) {
				for (String key : lease.keys()) {
					this.counters.count(key, this::pause);
				}
			}
			else {
				pause();
			}
			failed = false;
		}
		finally {
			this.log.ended(lease, failed);
		}
	}

	private void pause() {
		long longest = this.properties.pause().toNanos();
		if (longest > 0) {
			LockSupport.parkNanos(this.random.nextLong(longest));
		}
	}

}
