package io.distributedlock.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own that has sides. It ends with this object, or with this JVM.
 */
public final class SideProcess implements AutoCloseable {

	// Longer than a side waits for a lock.
	private static final long PATIENCE_SECONDS = 60;

	private final Process process;

	private final PrintWriter commands;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private SideProcess(Process process) {
		this.process = process;
		this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
		Thread reader = new Thread(this::read, "answers of " + process.pid());
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Start a JVM with this one's class path.
	 * @param options further options of the JVM
	 * @return the process, to be closed by the caller
	 */
	public static SideProcess start(String... options) {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		List<String> command = new ArrayList<>(List.of(java, "-Xmx256m", "-XX:+UseSerialGC"));
		command.addAll(Arrays.asList(options));
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), SideMain.class.getName()));
		try {
			return new SideProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send a command. Its answer is received later, so that several processes can work at
	 * a time.
	 * @param command the command and its arguments
	 */
	public void send(Object... command) {
		StringBuilder line = new StringBuilder();
		for (Object part : command) {
			line.append(line.isEmpty() ? "" : SideMain.SEPARATOR).append(part);
		}
		this.commands.println(line);
	}

	/**
	 * Wait for the next answer.
	 * @return its numbers, none if the command has no result
	 * @throws InterruptedException if interrupted
	 * @throws IllegalStateException if the command failed or there is no answer
	 */
	public long[] receive() throws InterruptedException {
		String answer = this.answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
		if (answer == null) {
			throw new IllegalStateException("No answer from process " + this.process.pid());
		}
		if (answer.startsWith(SideMain.FAULT)) {
			throw new IllegalStateException("Process " + this.process.pid() + ": " + answer);
		}
		if (answer.equals(SideMain.DONE)) {
			return new long[0];
		}
		String[] parts = answer.split(" ");
		long[] numbers = new long[parts.length];
		for (int i = 0; i < parts.length; i++) {
			numbers[i] = Long.parseLong(parts[i]);
		}
		return numbers;
	}

	/**
	 * Send a command and wait for its answer.
	 * @param command the command and its arguments
	 * @return the numbers of the answer
	 * @throws InterruptedException if interrupted
	 */
	public long[] call(Object... command) throws InterruptedException {
		send(command);
		return receive();
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				if (line.startsWith(SideMain.ANSWER)) {
					this.answers.add(line.substring(SideMain.ANSWER.length()));
				}
			}
		}
		catch (IOException ex) {
			// The process was killed.
		}
		this.answers.add(SideMain.FAULT + "the process has ended");
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
