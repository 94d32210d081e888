package io.distributedlock.actuate;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockTemplate;
import io.distributedlock.test.LocalLocks;

/**
 * A web application with locks in its memory and all endpoints, on a free port of
 * 127.0.0.1.
 */
final class LocksWebApplication implements AutoCloseable {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private LocksWebApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start an application. Reactor Netty may stop reading from a connection on which a
	 * request arrives before the previous one has ended, so no connection is used twice.
	 */
	static LocksWebApplication start(WebApplicationType type, String... properties) {
		String[] arguments = Stream
			.concat(Stream.of("server.address=127.0.0.1", "server.port=0", "server.netty.max-keep-alive-requests=1",
					"lock.backend=local", "lock.instance-id=shop@one", "management.health.defaults.enabled=false",
					"management.health.locks.enabled=true"), Stream.of(properties))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		return new LocksWebApplication(new SpringApplicationBuilder(Application.class).web(type).run(arguments));
	}

	Lease acquire(String key) {
		return this.context.getBean(LockTemplate.class).acquire(key);
	}

	LocalLocks store() {
		return this.context.getBean(LocalLocks.class);
	}

	/**
	 * Return what the application was notified of, and forget it.
	 */
	List<AuditEvent> takeAudited() {
		return take(this.context.getBean(Application.class).audited);
	}

	Queue<LeaseLostEvent> lost() {
		return this.context.getBean(Application.class).lost;
	}

	private static <T> List<T> take(Queue<T> queue) {
		List<T> taken = List.copyOf(queue);
		queue.removeAll(taken);
		return taken;
	}

	HttpResponse<String> get(String path) {
		return send("GET", path);
	}

	HttpResponse<String> delete(String path) {
		return send("DELETE", path);
	}

	HttpResponse<String> send(String method, String path) {
		String port = this.context.getEnvironment().getProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator" + path))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build();
		try {
			return this.client.send(request, HttpResponse.BodyHandlers.ofString());
		}
		catch (Exception ex) {
			throw new IllegalStateException(method + " " + path, ex);
		}
	}

	/**
	 * Return the path of a lock.
	 */
	static String lock(String key) {
		return "/locks/local?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Application {

		private final Queue<AuditEvent> audited = new ConcurrentLinkedQueue<>();

		private final Queue<LeaseLostEvent> lost = new ConcurrentLinkedQueue<>();

		@EventListener
		void onAudit(AuditApplicationEvent event) {
			this.audited.add(event.getAuditEvent());
		}

		@EventListener
		void onLoss(LeaseLostEvent event) {
			this.lost.add(event);
		}

	}

}
