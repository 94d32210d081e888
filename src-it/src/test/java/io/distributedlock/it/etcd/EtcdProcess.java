package io.distributedlock.it.etcd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.InstalledPrograms;

/**
 * One {@code etcd} on 127.0.0.1, in a directory of its own. It ends with the JVM.
 */
public final class EtcdProcess implements AutoCloseable {

	private final int port;

	private final int peerPort;

	private final Path directory;

	private final List<String> command = new ArrayList<>();

	private Process process;

	private EtcdProcess(String name, int port, int peerPort) {
		this.port = port;
		this.peerPort = peerPort;
		try {
			this.directory = Files.createTempDirectory("lock-etcd");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Path program = InstalledPrograms.find("etcd").orElseThrow();
		this.command.addAll(List.of(program.toString(), "--name", name, "--data-dir",
				this.directory.resolve("data").toString(), "--log-level", "warn", "--logger", "zap",
				"--listen-peer-urls", peerUrl(), "--initial-advertise-peer-urls", peerUrl(), "--unsafe-no-fsync"));
		Runtime.getRuntime().addShutdownHook(new Thread(this::end));
	}

	/**
	 * Start a server that is a cluster of its own.
	 * @param settings options of the command line
	 * @return the server, which answers
	 */
	public static EtcdProcess start(String... settings) {
		EtcdProcess server = prepare("etcd", settings);
		server.command.addAll(List.of("--initial-cluster", "etcd=" + server.peerUrl()));
		server.run();
		server.awaitReady();
		return server;
	}

	/**
	 * Prepare a cluster member that uses plain text for its clients.
	 */
	static EtcdProcess prepare(String name, String... settings) {
		EtcdProcess server = new EtcdProcess(name, FreePorts.next(), FreePorts.next());
		boolean secured = Arrays.asList(settings).contains("--cert-file");
		String url = (secured ? "https" : "http") + "://127.0.0.1:" + server.port;
		server.command.addAll(List.of("--listen-client-urls", url, "--advertise-client-urls", url));
		server.command.addAll(Arrays.asList(settings));
		return server;
	}

	void add(String... settings) {
		this.command.addAll(Arrays.asList(settings));
	}

	/**
	 * Return the port for clients.
	 * @return the port on 127.0.0.1
	 */
	public int port() {
		return this.port;
	}

	int peerPort() {
		return this.peerPort;
	}

	String peerUrl() {
		return "http://127.0.0.1:" + this.peerPort;
	}

	/**
	 * Return the address for clients.
	 */
	String url() {
		return "http://127.0.0.1:" + this.port;
	}

	synchronized void run() {
		try {
			this.process = new ProcessBuilder(this.command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("output.log").toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void awaitReady() {
		Awaitility.await("etcd on port " + this.port)
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(50))
			.until(this::accepts);
	}

	private boolean accepts() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("etcd ended: " + log());
		}
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected() && (this.command.contains("--cert-file") || isHealthy());
		}
		catch (IOException ex) {
			return false;
		}
	}

	private boolean isHealthy() {
		return get("/health").contains("\"true\"");
	}

	/**
	 * Read a monitoring page of the server.
	 */
	String get(String path) {
		try {
			HttpRequest request = HttpRequest.newBuilder(URI.create(url() + path))
				.timeout(Duration.ofSeconds(5))
				.build();
			return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
		}
		catch (IOException ex) {
			return ex.toString();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	String log() {
		try {
			return Files.readString(this.directory.resolve("output.log"), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return ex.getMessage();
		}
	}

	/**
	 * Stop it for a while, as if its machine stood still.
	 */
	public void pause() {
		signal("STOP");
	}

	/**
	 * Let it continue.
	 */
	public void resume() {
		signal("CONT");
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("kill", "-" + name, String.valueOf(this.process.pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * End it at once, as if its machine lost power.
	 */
	public synchronized void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Run it again on the same port, with what is on its disk.
	 */
	public void restart() {
		run();
		awaitReady();
	}

	@Override
	public void close() {
		end();
	}

	private synchronized void end() {
		if (this.process != null) {
			kill();
		}
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			// Another program may clean a directory for temporary files too.
			return;
		}
	}

}
