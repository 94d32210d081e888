package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.StoreSettings;

/**
 * Settings of a {@link ZooKeeperLockBackend}.
 *
 * @param root the path below which all nodes are, such as {@code /locks}; created if it
 * is missing
 * @param keyPrefix the prefix of every key at the store; may be empty
 * @param instanceId identifies this JVM to administrators; cut after 255 characters
 * @param callTimeout the bound of one call to the server if the request has none
 * @param tickRetention how long a tick that has run is remembered
 * @param acl the access rights to the nodes
 * @param user the user that the client authenticates as, for messages; {@code null} if it
 * is not known
 * @since 0.1.0
 */
public record ZooKeeperLockSettings(String root, String keyPrefix, String instanceId, Duration callTimeout,
		Duration tickRetention, List<ACL> acl, @Nullable String user) {

	/**
	 * The default root.
	 */
	public static final String DEFAULT_ROOT = "/locks";

	public ZooKeeperLockSettings {
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		requireRoot(root);
		StoreSettings.requirePositive(callTimeout, "call timeout (lock.call-timeout)");
		StoreSettings.requirePositive(tickRetention, "retention of ticks (lock.token-retention)");
		acl = List.copyOf(acl);
		instanceId = StoreSettings.printable(instanceId);
	}

	/**
	 * Create settings for nodes that every client may read and write.
	 * @param root the path below which all nodes are
	 * @param keyPrefix the prefix of every key at the store
	 * @param instanceId identifies this JVM to administrators
	 * @param callTimeout the bound of one call to the server
	 * @param tickRetention how long a tick that has run is remembered
	 */
	public ZooKeeperLockSettings(String root, String keyPrefix, String instanceId, Duration callTimeout,
			Duration tickRetention) {
		this(root, keyPrefix, instanceId, callTimeout, tickRetention, ZooDefs.Ids.OPEN_ACL_UNSAFE, null);
	}

	private static void requireRoot(String root) {
		try {
			PathUtils.validatePath(root);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"The root of the locks (lock.zookeeper.root) is not a path of ZooKeeper: " + ex.getMessage(), ex);
		}
		if (root.length() == 1) {
			throw new IllegalArgumentException(
					"The root of the locks (lock.zookeeper.root) must be a path below /, such as " + DEFAULT_ROOT);
		}
	}

}
