package io.distributedlock.it.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A JVM of its own that a test has started. It ends with {@link #kill()} or
 * {@link #stop()}, when {@link JavaProcesses} ends the remaining processes after the
 * test, or with the JVM of the test, whichever comes first.
 */
public final class JavaProcess {

	/**
	 * Several JVMs that start at once on few processors take their time.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final String name;

	private final Process process;

	private final ProcessOutput output = new ProcessOutput();

	private final Thread reader;

	private JavaProcess(String name, Process process) {
		this.name = name;
		this.process = process;
		this.reader = new Thread(() -> this.output.readAll(process.inputReader()), "output of " + name);
		this.reader.setDaemon(true);
	}

	static JavaProcess start(String name, JavaCommand command) throws IOException {
		JavaProcess started = new JavaProcess(name, command.start());
		started.reader.start();
		return started;
	}

	public String name() {
		return this.name;
	}

	public long pid() {
		return this.process.pid();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Return what the process has written so far, standard error included.
	 */
	public List<String> output() {
		return this.output.lines();
	}

	/**
	 * Wait until the process has written a line in which the expression is found, even
	 * before this call.
	 * @throws AssertionError if the time is over or the process ends before
	 */
	public MatchResult awaitLine(String regex) throws InterruptedException {
		return this.output.await(Pattern.compile(regex), PATIENCE)
			.orElseThrow(() -> new AssertionError("No line with '" + regex + "' from " + this));
	}

	/**
	 * Wait until an address answers with a status below 500.
	 * @throws AssertionError if the time is over or the process ends before
	 */
	public void awaitAnswer(URI address) throws InterruptedException {
		HttpClient client = HttpClient.newHttpClient();
		HttpRequest request = HttpRequest.newBuilder(address).timeout(PATIENCE).build();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (isAlive() && System.nanoTime() < deadline) {
			try {
				if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() < 500) {
					return;
				}
			}
			catch (IOException ex) {
				// It does not listen yet.
			}
			TimeUnit.MILLISECONDS.sleep(50);
		}
		throw new AssertionError("No answer on " + address + " from " + this);
	}

	/**
	 * Let the process stand still, as {@code kill -STOP} does.
	 */
	public void pause() throws IOException, InterruptedException {
		signal("STOP");
	}

	/**
	 * Let the process continue.
	 */
	public void resume() throws IOException, InterruptedException {
		signal("CONT");
	}

	private void signal(String name) throws IOException, InterruptedException {
		int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
		if (code != 0) {
			throw new AssertionError("No signal " + name + " to " + this);
		}
	}

	/**
	 * Kill the process as {@code kill -9} does and wait until it is gone.
	 */
	public void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
		this.reader.join();
	}

	/**
	 * Ask the process to end as {@code kill} does, and wait until it is gone.
	 * @return its exit code
	 * @throws AssertionError if it is still there when the time is over
	 */
	public int stop() throws InterruptedException {
		// Process#destroy would also close the input, which would end the JVM
		// immediately.
		this.process.toHandle().destroy();
		return awaitEnd();
	}

	/**
	 * Wait until the process has ended, and all of its output has been read.
	 * @return its exit code
	 * @throws AssertionError if it is still there when the time is over
	 */
	public int awaitEnd() throws InterruptedException {
		if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
			throw new AssertionError("Not ended within " + PATIENCE.toSeconds() + " s: " + this);
		}
		this.reader.join();
		return this.process.exitValue();
	}

	@Override
	public String toString() {
		String state = isAlive() ? "alive" : "ended with " + this.process.exitValue();
		return this.name + " (pid " + pid() + ", " + state + ")";
	}

}
