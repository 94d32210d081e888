package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

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
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * One JVM's engine over a database, in real time.
 */
public final class JdbcTestNode implements AutoCloseable {

	private final @Nullable SystemLockClock ownClock;

	private final AtomicInteger granted = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private final AtomicInteger busy = new AtomicInteger();

	private final LockEngine engine;

	private final LockTemplate template;

	public JdbcTestNode(DataSource dataSource, JdbcLockSettings settings, Duration ttl, HandOverSettings handOver) {
		this(dataSource, settings, ttl, handOver, null);
	}

	JdbcTestNode(DataSource dataSource, JdbcLockSettings settings, Duration ttl, HandOverSettings handOver,
			@Nullable LockClock shared) {
		this.ownClock = (shared != null) ? null : new SystemLockClock();
		LockClock clock = (shared != null) ? shared : this.ownClock;
		EngineSettings defaults = EngineSettings.DEFAULTS;
		this.engine = new LockEngine(
				new JdbcLockBackend(dataSource, settings, clock), new EngineSettings(ttl, defaults.waitTime(), null,
						settings.callTimeout(), defaults.stopTimeout(), handOver),
				clock, List.of(new Count()), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
	}

	public LockTemplate template() {
		return this.template;
	}

	public Locks locks() {
		return new DefaultLocks(this.engine);
	}

	/**
	 * Return how often the database granted a lock. Hand-overs do not count.
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
		if (this.ownClock != null) {
			this.ownClock.close();
		}
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
