package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.backend.zookeeper.ZooKeeperLockSettings;

/**
 * Properties of the locks in ZooKeeper.
 *
 * @param connectString Servers, as host:port separated by commas. Not used if the
 * application has a CuratorFramework of its own.
 * @param sessionTimeout Time after which the servers end the session of a silent process
 * and free its locks. Leases are valid for half of it after the latest proof that the
 * session lives. The servers may shorten or lengthen it; below 8s a warning is logged.
 * Not used if the application has a CuratorFramework of its own.
 * @param connectionTimeout Time to wait for a connection before another client is
 * created. Not used if the application has a CuratorFramework of its own.
 * @param root Path of all nodes of the locks.
 * @param auth User and password of ZooKeeper's scheme digest, as user:password. Only this
 * user may then see and change the nodes of the locks. A CuratorFramework of the
 * application has to use the same.
 * @param ssl TLS of the connections.
 */
@ConfigurationProperties("lock.zookeeper")
record LockZooKeeperProperties(@Nullable String connectString, @DefaultValue("30s") Duration sessionTimeout,
		@DefaultValue("15s") Duration connectionTimeout, @DefaultValue(ZooKeeperLockSettings.DEFAULT_ROOT) String root,
		@Nullable String auth, @DefaultValue Ssl ssl) implements InitializingBean {

	private static final DurationBounds BOUNDS = new DurationBounds(Duration.ofSeconds(1), Duration.ofDays(1));

	/**
	 * Validates here instead of in the constructor, because a binding failure would be
	 * less specific.
	 */
	@Override
	public void afterPropertiesSet() {
		BOUNDS.check("lock.zookeeper.session-timeout", this.sessionTimeout);
		BOUNDS.check("lock.zookeeper.connection-timeout", this.connectionTimeout);
		if (this.auth != null && this.auth.indexOf(':') < 1) {
			// The message omits the value, which may be a secret.
			throw new LockStartException("The property 'lock.zookeeper.auth' is not of the form user:password.",
					"Set it to a user and a password with a colon between.", null);
		}
	}

	ZooKeeperLockSettings toSettings(LockProperties properties, InstanceId instanceId, @Nullable String auth) {
		List<ACL> acl = (auth != null) ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
		Duration day = Duration.ofHours(24);
		Duration tickRetention = (properties.tokenRetention().compareTo(day) > 0) ? properties.tokenRetention() : day;
		try {
			return new ZooKeeperLockSettings(this.root, properties.keyPrefix(), instanceId.value(),
					properties.boundedCallTimeout(), tickRetention, acl, user(auth));
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

	private static @Nullable String user(@Nullable String auth) {
		int colon = (auth != null) ? auth.indexOf(':') : -1;
		return (auth != null && colon > 0) ? auth.substring(0, colon) : null;
	}

	/**
	 * Return the properties without user and password.
	 */
	@Override
	public String toString() {
		String servers = (this.connectString != null) ? LockSecrets.hideUserInfo(this.connectString) : null;
		return "LockZooKeeperProperties[connectString=" + servers + ", sessionTimeout=" + this.sessionTimeout
				+ ", connectionTimeout=" + this.connectionTimeout + ", root=" + this.root + ", auth="
				+ LockSecrets.hide(this.auth) + ", ssl=" + this.ssl + "]";
	}

	/**
	 * TLS of the connections.
	 *
	 * @param bundle Name of the SSL bundle with the keys and certificates. By default,
	 * connections are without TLS.
	 */
	record Ssl(@Nullable String bundle) {
	}

}
