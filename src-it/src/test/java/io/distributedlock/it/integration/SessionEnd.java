package io.distributedlock.it.integration;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

/**
 * Ends the session of the holder of a lock, at the server.
 */
final class SessionEnd {

	/**
	 * ZooKeeper's server derives the password of a session from this and the session's
	 * number.
	 */
	private static final long ZOOKEEPER_SECRET = 0XB3415C00L;

	private SessionEnd() {
	}

	/**
	 * End the session with the first place in line below a node, which has a single
	 * queue.
	 */
	static void inZooKeeper(String root) throws Exception {
		try (ZooKeeper observer = connect(0, new byte[16])) {
			List<String> places = new ArrayList<>();
			collectPlaces(observer, root, places);
			String first = places.stream()
				.min(Comparator.comparing((path) -> path.substring(path.lastIndexOf('-'))))
				.orElseThrow();
			long session = observer.exists(first, false).getEphemeralOwner();
			byte[] password = new byte[16];
			new Random(session ^ ZOOKEEPER_SECRET).nextBytes(password);
			connect(session, password).close();
		}
	}

	private static void collectPlaces(ZooKeeper observer, String path, List<String> places) throws Exception {
		try {
			for (String child : observer.getChildren(path, false)) {
				String below = path + "/" + child;
				if (child.contains("-lock-")) {
					places.add(below);
				}
				collectPlaces(observer, below, places);
			}
		}
		catch (KeeperException.NoNodeException ex) {
			// It was deleted meanwhile.
		}
	}

	private static ZooKeeper connect(long session, byte[] password) throws Exception {
		CountDownLatch connected = new CountDownLatch(1);
		ZooKeeper client = new ZooKeeper(ZooKeeperServer.connectString(), 10_000, (event) -> {
			if (event.getState() == KeeperState.SyncConnected) {
				connected.countDown();
			}
		}, session, password);
		if (!connected.await(30, TimeUnit.SECONDS)) {
			client.close();
			throw new AssertionError("No connection as session 0x" + Long.toHexString(session));
		}
		return client;
	}

	/**
	 * End the session with the first place in line in a namespace, which has a single
	 * queue.
	 */
	static void inEtcd(String namespace) throws Exception {
		ByteSequence prefix = ByteSequence.from(namespace, StandardCharsets.UTF_8);
		try (Client client = Client.builder().endpoints(EtcdServer.url()).build()) {
			long session = client.getKVClient()
				.get(prefix, GetOption.builder().isPrefix(true).build())
				.get(30, TimeUnit.SECONDS)
				.getKvs()
				.stream()
				.filter((place) -> place.getKey().toString().contains("/w/"))
				.min(Comparator.comparingLong(KeyValue::getCreateRevision))
				.orElseThrow()
				.getLease();
			client.getLeaseClient().revoke(session).get(30, TimeUnit.SECONDS);
		}
	}

}
