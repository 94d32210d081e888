package io.distributedlock.it.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.awaitility.Awaitility;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

/**
 * A ZooKeeper server in its own JVM on 127.0.0.1, which can be stopped and started again
 * on its data.
 */
public final class ZooKeeperProcess {

	private final JavaProcesses processes;

	private final String name;

	private final int port;

	private final JavaCommand command;

	private JavaProcess process;

	/**
	 * Create a server, not started.
	 * @param id its number in the ensemble
	 * @param port the port for clients
	 * @param settings further lines of its configuration
	 */
	ZooKeeperProcess(JavaProcesses processes, int id, int port, List<String> settings) {
		this.processes = processes;
		this.name = "zookeeper-" + id;
		this.port = port;
		try {
			Path folder = Files.createTempDirectory("lock-zookeeper");
			Path data = Files.createDirectory(folder.resolve("data"));
			Files.writeString(data.resolve("myid"), String.valueOf(id));
			Path configuration = folder.resolve("zoo.cfg");
			Files.writeString(configuration,
					String.join("\n",
							List.of("dataDir=" + data, "clientPort=" + port, "clientPortAddress=127.0.0.1",
									"maxClientCnxns=0", "admin.enableServer=false", "4lw.commands.whitelist=*",
									"forceSync=no", String.join("\n", settings), "")));
			Path logging = folder.resolve("logback.xml");
			Files.writeString(logging, "<configuration><root level=\"OFF\"/></configuration>");
			this.command = JavaCommand.of(QuorumPeerMain.class)
				.argument(configuration.toString())
				.systemProperty("logback.configurationFile", logging)
				.systemProperty("zookeeper.forceSync", "no")
				.systemProperty("znode.container.checkIntervalMs", 500)
				.systemProperty("znode.container.maxPerMinute", 1_000_000);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a standalone server.
	 */
	public static ZooKeeperProcess standalone(JavaProcesses processes) {
		ZooKeeperProcess server = new ZooKeeperProcess(processes, 1, FreePorts.next(),
				List.of("tickTime=500", "minSessionTimeout=1000"));
		server.start();
		server.awaitMode("standalone");
		return server;
	}

	int port() {
		return this.port;
	}

	/**
	 * Return the address that clients connect to.
	 */
	public String connectString() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Start it, on the data that it has.
	 */
	public void start() {
		try {
			this.process = this.processes.start(this.name, this.command);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kill it, and wait until it is gone.
	 */
	public void kill() throws InterruptedException {
		this.process.kill();
	}

	/**
	 * Wait until the mode of the server matches an expression.
	 */
	void awaitMode(String mode) {
		Awaitility.await(this.name + " is " + mode).atMost(Duration.ofSeconds(60)).until(() -> mode().matches(mode));
	}

	/**
	 * Return whether it is a leader, a follower or standalone; empty while it does not
	 * serve clients.
	 */
	String mode() {
		return find("srvr", "Mode: (\\w+)", "");
	}

	/**
	 * Return one of the server's metrics.
	 */
	long number(String what) {
		return Long.parseLong(find("mntr", "zk_" + what + "\\s+(\\d+)", "-1"));
	}

	private String find(String command, String expression, String otherwise) {
		Matcher matcher = Pattern.compile(expression).matcher(ask(command));
		return matcher.find() ? matcher.group(1) : otherwise;
	}

	private String ask(String command) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(2_000);
			socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			return "";
		}
	}

}
