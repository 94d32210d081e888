package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * The ZooKeeper that the properties name.
 *
 * @param properties the properties
 * @param bundles the SSL bundles
 */
record PropertiesZooKeeperConnectionDetails(LockZooKeeperProperties properties,
		ObjectProvider<SslBundles> bundles) implements ZooKeeperConnectionDetails {

	@Override
	public String getConnectString() {
		String servers = this.properties.connectString();
		if (!StringUtils.hasText(servers)) {
			throw new LockStartException("There are no servers for the locks in ZooKeeper.",
					"Set 'lock.zookeeper.connect-string', or declare a CuratorFramework.", null);
		}
		return servers;
	}

	@Override
	public @Nullable String getAuth() {
		return this.properties.auth();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return new SslBundleLookup("lock.zookeeper.ssl.bundle", this.bundles).find(this.properties.ssl().bundle());
	}

}
