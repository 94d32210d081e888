package io.distributedlock.it.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisExecProvider;

import io.distributedlock.it.net.FreePorts;

/**
 * One {@code redis-server} on 127.0.0.1, in a directory of its own and without copies on
 * disk unless its settings say otherwise. It ends with the JVM.
 */
public final class RedisProcess implements AutoCloseable {

	private final int port;

	private final Path directory;

	private final List<String> command = new ArrayList<>();

	private Process process;

	private RedisProcess(int port, Path directory) {
		this.port = port;
		this.directory = directory;
	}

	/**
	 * Start a server.
	 * @param settings options of the command line, each with its value
	 * @return the server, which accepts connections
	 */
	public static RedisProcess start(String... settings) {
		return start(FreePorts.next(), settings);
	}

	public static RedisProcess start(int port, String... settings) {
		RedisProcess server = create(port);
		server.command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1", "--save", "", "--loglevel",
				"notice", "--logfile", "redis.log"));
		server.command.addAll(Arrays.asList(settings));
		server.run();
		return server;
	}

	/**
	 * Start a server that speaks TLS only.
	 */
	public static RedisProcess tls(int port, Certificate certificate, String... settings) {
		RedisProcess server = create(port);
		server.command.addAll(List.of("--port", "0", "--tls-port", String.valueOf(port), "--bind", "127.0.0.1",
				"--tls-cert-file", certificate.certificate().toString(), "--tls-key-file", certificate.key().toString(),
				"--tls-ca-cert-file", certificate.certificate().toString(), "--tls-auth-clients", "no", "--save", "",
				"--logfile", "redis.log"));
		server.command.addAll(Arrays.asList(settings));
		server.run();
		return server;
	}

	/**
	 * Start a sentinel.
	 * @param configuration the lines of its file, which it changes
	 * @return the sentinel
	 */
	static RedisProcess sentinel(int port, String... configuration) {
		RedisProcess sentinel = create(port);
		try {
			List<String> lines = new ArrayList<>(
					List.of("port " + port, "bind 127.0.0.1", "logfile redis.log", "dir " + sentinel.directory));
			lines.addAll(Arrays.asList(configuration));
			Files.write(sentinel.directory.resolve("sentinel.conf"), lines);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		sentinel.command.addAll(List.of("sentinel.conf", "--sentinel"));
		sentinel.run();
		return sentinel;
	}

	private static RedisProcess create(int port) {
		try {
			RedisProcess server = new RedisProcess(port, Files.createTempDirectory("lock-redis"));
			server.command.add(Executable.FILE.getAbsolutePath());
			Runtime.getRuntime().addShutdownHook(new Thread(server::end));
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the port of the server.
	 * @return the port on 127.0.0.1
	 */
	public int port() {
		return this.port;
	}

	private synchronized void run() {
		try {
			this.process = new ProcessBuilder(this.command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("output.log").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await("redis-server on port " + this.port)
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(20))
			.until(this::accepts);
	}

	private boolean accepts() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("redis-server ended: " + log());
		}
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Return what the server has logged.
	 */
	String log() {
		StringBuilder text = new StringBuilder();
		for (String name : List.of("output.log", "redis.log")) {
			try {
				text.append(Files.readString(this.directory.resolve(name), StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				text.append(ex.getMessage());
			}
		}
		return text.toString();
	}

	/**
	 * Pause the server, as if its machine stalled.
	 */
	public void pause() {
		signal("STOP");
	}

	/**
	 * Let the server continue.
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
	 * Kill the server, as if its machine lost power.
	 */
	public synchronized void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Start the server again on the same port, with the data on its disk.
	 */
	public void restart() {
		run();
	}

	/**
	 * Start the server again on the same port, without the data on its disk.
	 */
	public void restartEmpty() {
		try (Stream<Path> files = Files.list(this.directory)) {
			for (Path file : files.filter((each) -> !each.toString().endsWith(".log")).toList()) {
				FileSystemUtils.deleteRecursively(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		run();
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
			// Other programs also clean up temporary directories.
			return;
		}
	}

	/**
	 * The program, unpacked once before any server starts. A program that is still being
	 * written can't be run. A process that was forked meanwhile keeps it in that state
	 * for as long as it lives.
	 */
	private static final class Executable {

		static final File FILE = unpack();

		private static File unpack() {
			try {
				return RedisExecProvider.defaultProvider().get();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
