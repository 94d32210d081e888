package io.distributedlock.backend.zookeeper;

import java.net.InetSocketAddress;
import java.util.Collection;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Creates ZooKeeper clients that reconnect soon after an outage. A client waits for a
 * random time of up to one second before it reconnects, so that not all clients do so at
 * once. After it has tried all servers it waits for a further second, which only adds a
 * delay. This factory reduces that second to 100 ms.
 *
 * @since 0.1.0
 */
public final class PromptZookeeperFactory implements ZookeeperFactory {

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws Exception {
		return newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, new ZKClientConfig());
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
			ZKClientConfig config) throws Exception {
		HostProvider servers = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
		return new ZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, new Prompt(servers), config);
	}

	private record Prompt(HostProvider servers) implements HostProvider {

		private static final long LONGEST_REST_MILLIS = 100;

		@Override
		public int size() {
			return this.servers.size();
		}

		@Override
		public InetSocketAddress next(long rest) {
			return this.servers.next(Math.min(rest, LONGEST_REST_MILLIS));
		}

		@Override
		public void onConnected() {
			this.servers.onConnected();
		}

		@Override
		public boolean updateServerList(Collection<InetSocketAddress> serverAddresses, InetSocketAddress current) {
			return this.servers.updateServerList(serverAddresses, current);
		}

	}

}
