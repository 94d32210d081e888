package io.distributedlock.it.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.FileSystemUtils;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.InstalledPrograms;

/**
 * A Prometheus on 127.0.0.1 that scrapes some addresses each second, and evaluates alert
 * rules. It ends with the JVM.
 */
final class PrometheusServer implements AutoCloseable {

	private final HttpClient http = HttpClient.newHttpClient();

	private final int port = FreePorts.next();

	private final Path directory;

	private final Process process;

	private PrometheusServer(List<Integer> targets, String rules) throws IOException {
		this.directory = Files.createTempDirectory("lock-prometheus");
		Files.writeString(this.directory.resolve("rules.yml"), rules);
		List<String> addresses = targets.stream().map((target) -> "'127.0.0.1:" + target + "'").toList();
		Files.writeString(this.directory.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 1s
				  evaluation_interval: 1s
				rule_files: [rules.yml]
				scrape_configs:
				  - job_name: locks
				    static_configs:
				      - targets: [%s]
				""".formatted(String.join(", ", addresses)));
		this.process = new ProcessBuilder(InstalledPrograms.find("prometheus").orElseThrow().toString(),
				"--config.file=" + this.directory.resolve("prometheus.yml"),
				"--storage.tsdb.path=" + this.directory.resolve("data"), "--web.listen-address=127.0.0.1:" + this.port,
				"--log.level=warn")
			.directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("output.log").toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/**
	 * Start a server.
	 * @param targets the ports to scrape
	 * @param rules the alert rules
	 * @return the server, which answers
	 */
	static PrometheusServer start(List<Integer> targets, String rules) {
		try {
			PrometheusServer server = new PrometheusServer(targets, rules);
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(server::isReady);
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean isReady() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("Prometheus has ended: " + log());
		}
		try {
			return get("/-/ready").statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private String log() {
		try {
			return Files.readString(this.directory.resolve("output.log"));
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	/**
	 * Return how many samples an expression has now.
	 */
	int samples(String expression) {
		try {
			HttpResponse<String> answer = get(
					"/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
			if (answer.statusCode() != 200) {
				throw new IllegalStateException(expression + ": " + answer.body());
			}
			return count(answer.body(), "\"value\":");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the names of the alerts that fire now.
	 */
	List<String> firing() {
		try {
			List<String> names = new ArrayList<>();
			Object data = JsonParserFactory.getJsonParser().parseMap(get("/api/v1/alerts").body()).get("data");
			for (Object alert : (List<?>) ((Map<?, ?>) data).get("alerts")) {
				Map<?, ?> each = (Map<?, ?>) alert;
				if ("firing".equals(each.get("state"))) {
					names.add(String.valueOf(((Map<?, ?>) each.get("labels")).get("alertname")));
				}
			}
			return names;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int count(String text, String part) {
		return (text.length() - text.replace(part, "").length()) / part.length();
	}

	private HttpResponse<String> get(String path) throws IOException {
		try {
			return this.http.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
				.timeout(Duration.ofSeconds(20))
				.build(), HttpResponse.BodyHandlers.ofString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
