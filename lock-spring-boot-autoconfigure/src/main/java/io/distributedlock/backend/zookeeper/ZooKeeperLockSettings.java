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
 * How a {@link ZooKeeperLockBackend} keeps its locks.
 *
 * @param root the path below which all nodes are, such as {@code /locks}; made where it
 * is missing
 * @param keyPrefix what every key begins with at the store; may be empty
 * @param instanceId who this JVM is, for people who look; cut after 255 characters
 * @param callTimeout the bound of one call to the server where the request brings none
 * @param tickRetention how long a tick that has run is remembered
 * @param acl who may do what with the nodes
 * @param user the user that the client authenticates as, for messages; {@code null} if it
 * is not known
 * @since 0.1.0
 */
public record ZooKeeperLockSettings(String root, String keyPrefix, String instanceId, Duration callTimeout,
		Duration tickRetention, List<ACL> acl, @Nullable String user) {

	/**
	 * The root unless another one is configured.
	 */
	public static final String DEFAULT_ROOT = "/locks";

	public ZooKeeperLockSettings {
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		requireRoot(root);
		StoreSettings.requirePositive(callTimeout, "call time-out (lock.call-timeout)");
		StoreSettings.requirePositive(tickRetention, "retention of ticks (lock.token-retention)");
		acl = List.copyOf(acl);
		instanceId = StoreSettings.printable(instanceId);
	}

	/**
	 * Create settings for a server on which everybody may do everything.
	 * @param root the path below which all nodes are
	 * @param keyPrefix what every key begins with at the store
	 * @param instanceId who this JVM is
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
					"The root of the locks (lock.zookeeper.root) is no path of ZooKeeper: " + ex.getMessage(), ex);
		}
		if (root.length() == 1) {
			throw new IllegalArgumentException(
					"The root of the locks (lock.zookeeper.root) must be a path below /, such as " + DEFAULT_ROOT);
		}
	}

}
