package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.FaultyLink.Fault;
import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.OwnerId;

/**
 * Runs the contract of all stores on any Redis and driver, in real time.
 */
public abstract class RedisLockBackendContract extends RealTimeLockBackendContract {

	// A prefix for each test, so that tests may run side by side on one server.
	private final String prefix = "lock:" + OwnerId.random().value().substring(0, 8) + ":" + getClass().getSimpleName()
			+ ":";

	// Crowds ask for clients from several threads.
	private final Map<LockBackend, AtomicReference<Fault>> faults = new ConcurrentHashMap<>();

	/**
	 * Return the factory that opens connections, already started.
	 */
	protected abstract RedisConnectionFactory factory();

	@Override
	protected LockBackend newClient() {
		AtomicReference<Fault> fault = new AtomicReference<>(Fault.NONE);
		RedisLinkFactory links = (factory, configured, workers, clock) -> new FaultyLink(
				RedisLinkFactory.BY_DRIVER.open(factory, configured, workers, clock), fault::get);
		RedisLockSettings settings = new RedisLockSettings(this.prefix, "test@host:1", Duration.ofSeconds(10),
				Duration.ofHours(1));
		LockBackend client = new RedisLockBackend(factory(), settings, clock(), links);
		this.faults.put(client, fault);
		return client;
	}

	@Override
	protected boolean tellsMembersOfWaiters() {
		return true;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		this.faults.get(client).set(Fault.CUT_OFF);
	}

	@Override
	protected boolean canLoseAnswers() {
		return true;
	}

	@Override
	protected void loseAnswers(LockBackend client) {
		this.faults.get(client).set(Fault.LOSES_ANSWERS);
	}

	@Override
	protected void restore(LockBackend client) {
		this.faults.get(client).set(Fault.NONE);
	}

}
