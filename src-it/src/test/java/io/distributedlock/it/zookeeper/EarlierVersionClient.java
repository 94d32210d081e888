package io.distributedlock.it.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

import io.distributedlock.spi.OwnerId;

/**
 * A client that does what the version before groups of leases does at the servers. The
 * names are those of that version.
 */
final class EarlierVersionClient implements AutoCloseable {

	private static final int SESSION_TIMEOUT_MILLIS = 20_000;

	private static final Properties NAMES = new Properties();

	static {
		try (InputStream names = EarlierVersionClient.class.getResourceAsStream("names-before-groups.properties")) {
			NAMES.load(names);
		}
		catch (IOException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final String root;

	private final ZooKeeper handle;

	private EarlierVersionClient(String root, ZooKeeper handle) {
		this.root = root;
		this.handle = handle;
	}

	static EarlierVersionClient connect(String root) throws Exception {
		CountDownLatch connected = new CountDownLatch(1);
		ZooKeeper handle = new ZooKeeper(ZooKeeperServer.connectString(), SESSION_TIMEOUT_MILLIS, (event) -> {
			if (event.getState() == KeeperState.SyncConnected) {
				connected.countDown();
			}
		});
		if (!connected.await(60, TimeUnit.SECONDS)) {
			throw new AssertionError("No connection to ZooKeeper");
		}
		EarlierVersionClient client = new EarlierVersionClient(root, handle);
		client.create(root, CreateMode.PERSISTENT);
		client.create(root + "/.sessions", CreateMode.CONTAINER);
		client.create(
				root + "/.sessions/"
						+ NAMES.getProperty("heartbeat")
							.formatted(client.session(), newId().substring(0, 8), handle.getSessionTimeout()),
				CreateMode.EPHEMERAL);
		return client;
	}

	private void create(String path, CreateMode mode) throws Exception {
		try {
			this.handle.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
		}
		catch (KeeperException.NodeExistsException ex) {
			// As intended.
		}
	}

	private String session() {
		return Long.toHexString(this.handle.getSessionId());
	}

	private static String newId() {
		return OwnerId.random().value();
	}

	/**
	 * Enter the queue for a key.
	 * @return the name of the place
	 */
	String enter(String key) throws Exception {
		create(path(key), CreateMode.CONTAINER);
		String place = this.handle.create(path(key) + "/" + NAMES.getProperty("place").formatted(newId(), session()),
				new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		return place.substring(place.lastIndexOf('/') + 1);
	}

	/**
	 * Return whether a place has the lock.
	 */
	boolean holds(String key, String place) throws Exception {
		return unknown(key).isEmpty() && place.equals(first(key))
				&& children(key).stream().noneMatch((name) -> matches("cooldown", name));
	}

	/**
	 * Return the first place in the queue, which this version considers the holder's.
	 */
	String first(String key) throws Exception {
		return children(key).stream()
			.filter((name) -> matches("place", name))
			.min(Comparator.comparingInt(EarlierVersionClient::number))
			.orElseThrow();
	}

	/**
	 * Return the names that make the key unavailable to this version.
	 */
	List<String> unknown(String key) throws Exception {
		return children(key).stream()
			.filter((name) -> !name.startsWith(".") && !matches("place", name) && !matches("cooldown", name)
					&& !matches("tick", name))
			.toList();
	}

	void leave(String key, String place) throws Exception {
		this.handle.delete(path(key) + "/" + place, -1);
	}

	/**
	 * Take the lock away from the holder.
	 */
	void forceRelease(String key, long cooldownMillis) throws Exception {
		String holder = first(key);
		String cooldown = NAMES.getProperty("cooldown").formatted(cooldownMillis, holder.substring(0, 32));
		this.handle.multi(List.of(Op.delete(path(key) + "/" + holder, -1), Op.create(path(key) + "/" + cooldown,
				new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
	}

	private List<String> children(String key) throws Exception {
		return this.handle.getChildren(path(key), false);
	}

	private String path(String key) {
		return this.root + "/lock:" + key;
	}

	private static boolean matches(String form, String name) {
		return Pattern.matches(NAMES.getProperty(form + ".form"), name);
	}

	private static int number(String place) {
		Matcher matcher = Pattern.compile(NAMES.getProperty("place.form")).matcher(place);
		if (!matcher.matches()) {
			throw new IllegalArgumentException(place);
		}
		return (int) Long.parseLong(matcher.group(3));
	}

	@Override
	public void close() throws InterruptedException {
		this.handle.close();
	}

}
