package io.distributedlock.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.StaticMessageSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for the answers to clients of a web application if a lock throws an exception.
 * It is the same on each stack.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class WebAnswerContract {

	private static final String BUSY = problem(409, "urn:problem-type:lock-busy", "Resource busy",
			"Another request is using the resource. Try again later.");

	private static final String UNAVAILABLE = problem(503, "urn:problem-type:lock-unavailable", "Service unavailable",
			"Access to the resource can't be coordinated at the moment. Try again later.");

	private final HttpClient client = HttpClient.newHttpClient();

	private ConfigurableApplicationContext application;

	/**
	 * Start the application. Reactor Netty may stop reading from a connection on which a
	 * request arrives before the previous one has ended, so no connection is used twice.
	 */
	@BeforeAll
	void start() {
		this.application = new SpringApplicationBuilder(Application.class, stack()).web(type())
			.run("--server.address=127.0.0.1", "--server.port=0", "--lock.backend=local",
					"--server.netty.max-keep-alive-requests=1", "--lock.instance-id=marker-instance",
					"--lock.web.problem-details.enabled=true", "--spring.mvc.problemdetails.enabled=true",
					"--spring.webflux.problemdetails.enabled=true");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	/**
	 * Return the configuration that the stack under test adds: functional endpoints
	 * {@code /function/busy/&#123;id&#125;} and {@code /own/function}, a bean that
	 * handles {@code /own/bean}, and {@code /committed}, which fails after the text
	 * "part".
	 */
	abstract Class<?> stack();

	abstract WebApplicationType type();

	@Test
	void busyIsAConflictThatSaysWhenToTryAgain() throws Exception {
		try (Lease lease = holdElsewhere("order")) {
			HttpResponse<String> answer = get("/busy/order");

			assertThat(answer.statusCode()).isEqualTo(409);
			assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(answer.body()).isEqualTo(BUSY);
			assertThat(answer.headers().firstValue("Retry-After"))
				.hasValueSatisfying((seconds) -> assertThat(Integer.parseInt(seconds)).isBetween(1, 30));
			assertThat(lease.isHeld()).isTrue();
		}
		assertThat(get("/busy/order").body()).isEqualTo("ran");
	}

	@Test
	void busyFunctionalEndpointIsAnsweredLikeAController() throws Exception {
		try (Lease lease = holdElsewhere("function")) {
			HttpResponse<String> answer = get("/function/busy/function");

			assertThat(answer.statusCode()).isEqualTo(409);
			assertThat(answer.body()).isEqualTo(BUSY);
			assertThat(answer.headers().firstValue("Retry-After")).isPresent();
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/busy-later/1", "/cause/1" })
	void failureIsFoundAmongTheCauses(String path) throws Exception {
		HttpResponse<String> answer = get(path);

		assertThat(answer.statusCode()).isEqualTo(409);
		assertThat(answer.body()).isEqualTo(BUSY);
		assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/unavailable/1", "/refused/1" })
	void storeThatDoesNotServeIsUnavailable(String path) throws Exception {
		HttpResponse<String> answer = get(path);

		assertThat(answer.statusCode()).isEqualTo(503);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
		assertThat(answer.body()).isEqualTo(UNAVAILABLE);
	}

	@Test
	void lostLeaseIsAConflictOfItsOwn() throws Exception {
		HttpResponse<String> answer = get("/lost/order");

		assertThat(answer.statusCode()).isEqualTo(409);
		assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
		assertThat(answer.body()).isEqualTo(problem(409, "urn:problem-type:lock-lost", "Exclusive access lost",
				"The request lost its exclusive access to the resource before it ended. "
						+ "Check the state of the resource before you try again."));
	}

	@Test
	void staleTokenIsAConflictOfItsOwn() throws Exception {
		HttpResponse<String> answer = get("/stale/order");

		assertThat(answer.statusCode()).isEqualTo(409);
		assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
		assertThat(answer.body()).isEqualTo(problem(409, "urn:problem-type:stale-token", "Change refused",
				"The change was refused because a later request has changed the resource already. "
						+ "Check the state of the resource before you try again."));
	}

	@Test
	void limitIsTooManyRequests() throws Exception {
		HttpResponse<String> answer = get("/limit/1");

		assertThat(answer.statusCode()).isEqualTo(429);
		assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
		assertThat(answer.body()).isEqualTo(problem(429, "urn:problem-type:lock-limit", "Too many requests",
				"Too many requests are using or waiting for resources. Try again later."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "busy", "busy-later", "cause", "unavailable", "refused", "lost", "stale", "limit" })
	void answerNamesNeitherKeyNorHolderNorTokenNorStore(String path) throws Exception {
		try (Lease lease = holdElsewhere("marker-id")) {
			String id = path.equals("busy") ? "marker-id" : "marker-id-of-" + path;
			long token = lease.fencingToken();

			HttpResponse<String> answer = get("/" + path + "/" + id);

			assertThat(answer.statusCode()).isIn(409, 429, 503);
			assertThat(answer.body() + answer.headers().map()).doesNotContainIgnoringCase("marker")
				.doesNotContain("redis:", "6379", "instance")
				// Tokens of the local store are microseconds, so all tokens of one day
				// begin with the same digits.
				.doesNotContain(Long.toString(token).substring(0, 6));
		}
	}

	@Test
	void faultOfTheProgramIsLeftToTheApplication() throws Exception {
		HttpResponse<String> answer = get("/invalid/1");

		assertThat(answer.statusCode()).isEqualTo(500);
		assertThat(answer.body()).doesNotContain("urn:problem-type");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/own-status/1", "/own-annotation/1" })
	void exceptionThatSaysItsStatusIsLeftToTheApplication(String path) throws Exception {
		HttpResponse<String> answer = get(path);

		assertThat(answer.statusCode()).isEqualTo(410);
		assertThat(answer.body()).doesNotContain("urn:problem-type");
	}

	@ParameterizedTest
	@ValueSource(strings = { "controller", "unordered-advice", "last-advice", "bean", "function" })
	void handlerOfTheApplicationComesFirst(String which) throws Exception {
		HttpResponse<String> answer = get("/own/" + which);

		assertThat(answer.statusCode()).isEqualTo(418);
		assertThat(answer.body()).isEqualTo(which);
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/html", "application/xml", "application/json", "application/problem+json", "*/*" })
	void formatIsTheSameWhateverTheClientAccepts(String accepted) throws Exception {
		HttpResponse<String> answer = get("/cause/1", "Accept", accepted);

		assertThat(answer.statusCode()).isEqualTo(409);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(answer.body()).isEqualTo(BUSY);
	}

	@ParameterizedTest
	@CsvSource({ "de, Gerade belegt", "en, Resource busy" })
	void textsComeFromTheMessagesOfTheApplication(String language, String title) throws Exception {
		assertThat(get("/cause/1", "Accept-Language", language).body()).contains("\"title\":\"" + title + "\"");
	}

	@Test
	void committedResponseIsLeftAlone() throws Exception {
		HttpResponse<InputStream> answer = this.client.send(request("/committed").build(),
				HttpResponse.BodyHandlers.ofInputStream());

		assertThat(answer.statusCode()).isEqualTo(200);
		try (InputStream body = answer.body()) {
			assertThat(new String(body.readNBytes(4), StandardCharsets.UTF_8)).isEqualTo("part");
			assertThat(rest(body)).doesNotContain("urn:problem-type");
		}
	}

	private static String rest(InputStream body) {
		ByteArrayOutputStream rest = new ByteArrayOutputStream();
		try {
			body.transferTo(rest);
		}
		catch (IOException ex) {
			// The server has closed the connection, because the response is not complete.
		}
		return rest.toString(StandardCharsets.UTF_8);
	}

	private static String problem(int status, String type, String title, String detail) {
		return "{\"detail\":\"%s\",\"status\":%d,\"title\":\"%s\",\"type\":\"%s\"}".formatted(detail, status, title,
				type);
	}

	private Lease holdElsewhere(String id) {
		return this.application.getBean(LockTemplate.class)
			.acquire(LockRequest.of("marker-key:" + id).ttl(Duration.ofSeconds(30)));
	}

	private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
		HttpRequest.Builder request = request(path);
		if (headers.length > 0) {
			request.setHeader(headers[0], headers[1]);
		}
		return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest.Builder request(String path) {
		String port = this.application.getEnvironment().getProperty("local.server.port");
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).header("Accept-Language", "en");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	@Import({ FailingController.class, OwnHandlers.class })
	static class Application {

		@Bean
		StaticMessageSource messageSource() {
			StaticMessageSource messages = new StaticMessageSource();
			messages.addMessage("problemDetail.title.io.distributedlock.LockBusyException", Locale.GERMAN,
					"Gerade belegt");
			return messages;
		}

	}

}
