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
 * Keeps locks as keys of a Redis that the application has anyway: stand-alone, with
 * replicas, with Sentinel, or a Cluster.
 * <p>
 * Only the server's clock decides what has run out. Each acquisition and each release is
 * one script, run by the primary. Fencing tokens are microseconds since 1970 or more, and
 * grow strictly per key for as long as the server keeps its data, or its clock is not set
 * back. With Lettuce the scripts of all threads share one native connection; any other
 * driver blocks a worker for each. Who waits is told of releases by a subscription that
 * is there while somebody waits and for a minute after.
 * <p>
 * Replication of Redis is asynchronous: a primary that fails can take the latest leases
 * with it, and its successor grants them again, unless
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
	 * @param factory where its connections come from
	 * @param settings how it keeps its locks
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
	 * Return what this backend can do. A server that evicts keys takes
	 * {@linkplain BackendConnection#traits() fencing tokens} away.
	 */
	@Override
	public BackendTraits traits() {
		return traits(true, this.settings);
	}

	static BackendTraits traits(boolean fencing, RedisLockSettings settings) {
		return new BackendTraits(LeaseKind.PER_LOCK, fencing, false, false, true, Duration.ofMillis(100),
				settings.failoverQuarantine() ? settings.maxTtl() : null, 500);
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new RedisStoreConnection(this.factory, this.linkFactory, this.settings, this.clock);
	}

}
