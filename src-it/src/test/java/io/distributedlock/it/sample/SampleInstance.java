package io.distributedlock.it.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.sample.SampleApplication;

/**
 * A running instance of the sample, on a free port.
 */
final class SampleInstance {

	private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final JavaProcess process;

	private final URI address;

	private SampleInstance(JavaProcess process, URI address) {
		this.process = process;
		this.address = address;
	}

	/**
	 * Return the command of the built sample.
	 */
	static JavaCommand application() {
		return JavaCommand.of(SampleApplication.class).withoutTestClasses();
	}

	/**
	 * Start an instance with a folder as the home of its user, without waiting for it.
	 */
	static JavaProcess launch(JavaProcesses processes, String name, Path home, JavaCommand application,
			List<String> arguments) throws IOException {
		JavaCommand command = application.systemProperty("user.home", home)
			.systemProperty("java.io.tmpdir", home)
			.argument("--server.port=0")
			.argument("--lock.instance-id=" + name)
			.argument("--sample.stall.ttl=" + SampleContract.TTL.toMillis() + "ms")
			.argument("--sample.count.cron=* * * * * *")
			.argument("--sample.count.time=200ms")
			.argument("--sample.count.min-hold=400ms");
		for (String argument : arguments) {
			command = command.argument(argument);
		}
		return processes.start(name, command);
	}

	/**
	 * Wait until a launched instance serves.
	 */
	static SampleInstance await(JavaProcess launched) throws InterruptedException {
		String port = launched.awaitLine("Tomcat started on port (\\d+)").group(1);
		launched.awaitLine("Ready\\.");
		return new SampleInstance(launched, URI.create("http://127.0.0.1:" + port));
	}

	URI address() {
		return this.address;
	}

	JavaProcess process() {
		return this.process;
	}

	/**
	 * Return whether this instance has opened the file of the database, instead of being
	 * a client of the other one.
	 */
	boolean carriesDatabase() {
		try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(this.process.pid()), "fd"))) {
			return files.anyMatch(SampleInstance::isDatabase);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isDatabase(Path descriptor) {
		try {
			return Files.readSymbolicLink(descriptor).getFileName().toString().endsWith(".mv.db");
		}
		catch (IOException ex) {
			// The database was closed meanwhile.
			return false;
		}
	}

	Answer get(String path) {
		return send("GET", path).join();
	}

	Answer put(String path) {
		return send("PUT", path).join();
	}

	Answer post(String path) {
		return postAsync(path).join();
	}

	CompletableFuture<Answer> postAsync(String path) {
		return send("POST", path);
	}

	private CompletableFuture<Answer> send(String method, String path) {
		HttpRequest request = HttpRequest.newBuilder(this.address.resolve(path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.timeout(Duration.ofSeconds(60))
			.build();
		return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString())
			.thenApply((response) -> new Answer(response.statusCode(), response.body()));
	}

	/**
	 * An answer of the sample.
	 *
	 * @param status the HTTP status
	 * @param body the JSON text
	 */
	record Answer(int status, String body) {

		<T> T read(String path) {
			return JsonPath.read(this.body, path);
		}

		boolean isWorthRetrying() {
			return this.status == 423 || this.status == 503;
		}

	}

}
