package io.distributedlock.benchmarks.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

import io.distributedlock.benchmarks.contest.Address;

/**
 * Connects Curator as its guide does.
 */
final class CuratorClients {

	private CuratorClients() {
	}

	/**
	 * Connect.
	 * @param address where the server listens
	 * @return a client that is connected, to be closed by the caller
	 */
	static CuratorFramework connect(Address address) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + address.port(),
				new ExponentialBackoffRetry(1000, 3));
		client.start();
		try {
			client.blockUntilConnected();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return client;
	}

}
