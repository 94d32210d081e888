package io.distributedlock.backend.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Keeps locks as keys of the application's Redis: stand-alone, with replicas, with
 * Sentinel, or a Cluster.
 * <p>
 * Only the server's clock decides when a lease has run out. Each acquisition and each
 * release is one script, run by the primary. Fencing tokens are microseconds since 1970
 * or more. For each key they grow strictly as long as the server keeps its data. If it
 * loses its data, they grow as long as its clock is not set back and at least a second
 * has passed since the latest grant. Ranges of tokens may be ahead of the clock by that
 * second.
 * <p>
 * Readers and holders of permits enter a group of the key by one script each. The server
 * counts its members exactly, each until the end of its own lease. While an exclusive
 * waiter has met a group, no new member enters.
 * <p>
 * With Lettuce the scripts of all threads share one native connection. With any other
 * driver each script blocks a worker. Waiters are notified of releases by a subscription,
 * which exists while there are waiters and for a minute after the last one.
 * <p>
 * Replication of Redis is asynchronous. The latest leases can be lost with a primary that
 * fails. Its successor then grants their locks again, unless
 * {@link RedisLockSettings#failoverQuarantine()} makes it wait.
 *
 * @since 0.1.0
 */
public final class RedisLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "redis";

	private final RedisConnectionFactory factory;

	private final RedisLockSettings settings;

	private final LockClock clock;

	private final RedisLinkFactory linkFactory;

	/**
	 * Create a backend.
	 * @param factory opens its connections
	 * @param settings the settings of its locks
	 * @param clock the clock of this JVM
	 */
	public RedisLockBackend(RedisConnectionFactory factory, RedisLockSettings settings, LockClock clock) {
		this(factory, settings, clock, RedisLinkFactory.BY_DRIVER);
	}

	RedisLockBackend(RedisConnectionFactory factory, RedisLockSettings settings, LockClock clock,
			RedisLinkFactory linkFactory) {
		this.factory = factory;
		this.settings = settings;
		this.clock = clock;
		this.linkFactory = linkFactory;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String address() {
		return RedisFactoryDetails.address(this.factory);
	}

	/**
	 * Return the capabilities of this backend. Fencing tokens are missing from those of
	 * the {@linkplain BackendConnection#traits() connection} if the server evicts keys.
	 */
	@Override
	public BackendTraits traits() {
		return traits(true, this.settings);
	}

	static BackendTraits traits(boolean fencing, RedisLockSettings settings) {
		return new BackendTraits(LeaseKind.PER_LOCK, fencing, true, Integer.MAX_VALUE, true, Duration.ofMillis(100),
				settings.failoverQuarantine() ? settings.maxTtl() : null, 500);
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new RedisStoreConnection(this.factory, this.linkFactory, this.settings, this.clock, listener);
	}

}
