package io.distributedlock.benchmarks.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.awaitility.Awaitility;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcesses;

/**
 * One ZooKeeper server in a JVM of its own on 127.0.0.1, which ends with this JVM. Its
 * settings are those of a usual server, except that it does not wait for the disk, whose
 * pace would hide everything else.
 */
final class ZooKeeperJvm {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private ZooKeeperJvm() {
	}

	/**
	 * Return the server's port, and start the server if necessary.
	 * @return the port
	 */
	static int port() {
		return Running.PORT;
	}

	private static int start() {
		int port = FreePorts.next();
		try {
			Path folder = Files.createTempDirectory("lock-zookeeper");
			Path configuration = folder.resolve("zoo.cfg");
			Files.writeString(configuration,
					String.join("\n",
							List.of("dataDir=" + Files.createDirectory(folder.resolve("data")), "clientPort=" + port,
									"clientPortAddress=127.0.0.1", "maxClientCnxns=0", "admin.enableServer=false",
									"forceSync=no", "")));
			Path logging = folder.resolve("logback.xml");
			Files.writeString(logging, "<configuration><root level=\"OFF\"/></configuration>");
			new JavaProcesses().start("zookeeper",
					JavaCommand.of(QuorumPeerMain.class)
						.argument(configuration.toString())
						.option("-Xmx512m")
						.option("-XX:TieredStopAtLevel=4")
						.systemProperty("logback.configurationFile", logging)
						.systemProperty("zookeeper.forceSync", "no"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await("ZooKeeper listens").atMost(PATIENCE).until(() -> isListening(port));
		return port;
	}

	private static boolean isListening(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	// The first use of the class starts the server.
	private static final class Running {

		static final int PORT = start();

	}

}
