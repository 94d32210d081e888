package io.distributedlock.backend.zookeeper;

import java.time.Duration;

import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.OwnerId;

/**
 * The contract of all stores, on any ZooKeeper, in real time. Each client has its own
 * session and its own route to the servers.
 */
public abstract class ZooKeeperLockBackendContract extends RealTimeLockBackendContract {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(20);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	// A root for each test, so that tests may run side by side on one server.
	private final String root = "/" + getClass().getSimpleName() + "-" + OwnerId.random().value().substring(0, 8);

	/**
	 * Return a new route to the servers.
	 */
	protected abstract ZooKeeperRoute newRoute();

	/**
	 * Return the address of the servers, without a route.
	 */
	protected abstract String direct();

	@Override
	protected LockBackend newClient() {
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(this.root, "lock:", "test@host:1", CALL_TIMEOUT,
				Duration.ofHours(24));
		return ZooKeeperTestClient.of(this::newRoute, SESSION_TIMEOUT, settings, clock());
	}

	/**
	 * The lease ends by the holder's own clock first, as it does when the servers wait
	 * for the session timeout.
	 */
	@Override
	protected void letExpire(LockBackend holder, Duration ttl) {
		super.letExpire(holder, ttl);
		((ZooKeeperTestClient) holder).endSession(direct());
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		((ZooKeeperTestClient) client).route().cut();
	}

	@Override
	protected boolean canLoseAnswers() {
		return true;
	}

	@Override
	protected void loseAnswers(LockBackend client) {
		((ZooKeeperTestClient) client).route().loseAnswers();
	}

	@Override
	protected void restore(LockBackend client) {
		((ZooKeeperTestClient) client).route().restore();
	}

}
