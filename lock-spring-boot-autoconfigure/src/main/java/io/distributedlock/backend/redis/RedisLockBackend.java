package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.OperatedBackend;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

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
public final class RedisLockBackend extends OperatedBackend<Operation> {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "redis";

	private final RedisConnectionFactory factory;

	private final RedisLockSettings settings;

	private final LockClock clock;

	private final RedisLinkFactory linkFactory;

	private final BackendTraits traits;

	private final BackendTraits traitsWhereKeysAreEvicted;

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
		this.traits = traits(true, settings);
		this.traitsWhereKeysAreEvicted = traits(false, settings);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String address() {
		return RedisFactoryDetails.address(this.factory);
	}

	private static BackendTraits traits(boolean fencing, RedisLockSettings settings) {
		return new BackendTraits(LeaseKind.PER_LOCK, fencing, false, false, true, false, Duration.ofMillis(100),
				settings.failoverQuarantine() ? settings.maxTtl() : null, 500);
	}

	/**
	 * Return what this backend can do. There are no fencing tokens on a server that says
	 * that it evicts keys when its memory is full, which is known when it has answered
	 * for the first time.
	 */
	@Override
	public BackendTraits traits() {
		Operation current = operationOrNull();
		return (current != null && current.eviction().isKnown()) ? this.traitsWhereKeysAreEvicted : this.traits;
	}

	@Override
	protected Operation open(BackendListener losses) {
		return Operation.start(this.factory, this.linkFactory, this.settings, this.clock);
	}

	@Override
	protected void close(Operation operation) {
		operation.stop(this.settings.callTimeout());
	}

	@Override
	protected LockUnavailableException stopped() {
		return new NotSentException("The locks in Redis were stopped", null);
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(name());
		return new RedisContender(target, wakeUp, this::operation, this.clock);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		try {
			return operation().notifications().wakeWaiters();
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
