package io.distributedlock.it.zookeeper;

import java.util.Map;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

import io.distributedlock.it.net.FreePorts;

/**
 * One ZooKeeper server for all tests of a JVM, on 127.0.0.1. It ends with the JVM.
 */
public final class ZooKeeperServer {

	private ZooKeeperServer() {
	}

	/**
	 * Return the server's port. Starts the server if necessary.
	 * @return the port on 127.0.0.1
	 */
	public static int port() {
		return Running.SERVER.getPort();
	}

	/**
	 * Return the address that clients connect to. Starts the server if necessary.
	 * @return host and port
	 */
	public static String connectString() {
		return "127.0.0.1:" + port();
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final TestingServer SERVER = start();

		private static TestingServer start() {
			// Without a limit of connections from one address: all tests are on this one.
			Map<String, Object> properties = Map.of("clientPortAddress", "127.0.0.1", "maxClientCnxns", "0");
			InstanceSpec spec = new InstanceSpec(null, FreePorts.next(), FreePorts.next(), FreePorts.next(), true, -1,
					2_000, 0, properties, "127.0.0.1");
			try {
				return new TestingServer(spec, true);
			}
			catch (Exception ex) {
				throw new IllegalStateException("ZooKeeper does not start", ex);
			}
		}

	}

}
