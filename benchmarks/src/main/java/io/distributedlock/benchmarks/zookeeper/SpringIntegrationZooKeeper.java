package io.distributedlock.benchmarks.zookeeper;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * The lock registry of Spring Integration.
 */
final class SpringIntegrationZooKeeper implements Side {

	private static final long WAIT_SECONDS = 10;

	private final CuratorFramework client;

	private final ZookeeperLockRegistry registry;

	SpringIntegrationZooKeeper(Address address) {
		this.client = CuratorClients.connect(address);
		this.registry = new ZookeeperLockRegistry(this.client, "/spring-integration");
	}

	@Override
	public Held acquire(String key) throws Exception {
		Lock lock = this.registry.obtain(key);
		if (!lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException("'" + key + "' was not acquired");
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.client.close();
	}

}
