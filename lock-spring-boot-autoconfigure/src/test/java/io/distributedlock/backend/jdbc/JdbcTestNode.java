package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseKeeper;
import io.distributedlock.spi.LockListener;

/**
 * One JVM's engine over a database, in real time.
 */
public final class JdbcTestNode implements AutoCloseable {

	private final SystemLockClock clock = new SystemLockClock();

	private final AtomicInteger granted = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private final AtomicInteger busy = new AtomicInteger();

	private final LockEngine engine;

	private final LockTemplate template;

	public JdbcTestNode(DataSource dataSource, JdbcLockSettings settings, Duration ttl, HandOverSettings handOver) {
		EngineSettings defaults = EngineSettings.DEFAULTS;
		this.engine = new LockEngine(new JdbcLockBackend(dataSource, settings, this.clock),
				new EngineSettings(ttl, defaults.waitTime(), null, settings.callTimeout(), defaults.stopTimeout(),
						handOver),
				this.clock, List.of(new Count()), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseKeeper.NONE));
	}

	public LockTemplate template() {
		return this.template;
	}

	public Locks locks() {
		return new DefaultLocks(this.engine);
	}

	/**
	 * Return how often the database granted a lock; what was handed over does not count.
	 */
	public int granted() {
		return this.granted.get();
	}

	public int lost() {
		return this.lost.get();
	}

	public int busy() {
		return this.busy.get();
	}

	@Override
	public void close() {
		this.engine.stop();
		this.clock.close();
	}

	private final class Count implements LockListener {

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			JdbcTestNode.this.granted.incrementAndGet();
		}

		@Override
		public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
			JdbcTestNode.this.lost.incrementAndGet();
		}

		@Override
		public void busy(String backend, LockRequest request, Duration waited) {
			JdbcTestNode.this.busy.incrementAndGet();
		}

	}

}
