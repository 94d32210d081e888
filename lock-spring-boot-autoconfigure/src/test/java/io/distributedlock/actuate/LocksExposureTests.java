package io.distributedlock.actuate;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

import io.distributedlock.Lease;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a web application shows of its locks by its properties.
 */
class LocksExposureTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=*";

	private static final String UNRESTRICTED = "management.endpoint.locks.access=unrestricted";

	private static LocksWebApplication start(String... properties) {
		return LocksWebApplication.start(WebApplicationType.SERVLET, properties);
	}

	private static Map<String, Object> json(HttpResponse<String> answer) {
		return JsonPath.read(answer.body(), "$");
	}

	@Test
	void withoutExposureThereIsNoEndpointAndHealthShowsNoDetails() {
		try (LocksWebApplication application = start(UNRESTRICTED)) {
			assertThat(application.get("/locks").statusCode()).isEqualTo(404);
			assertThat(application.delete(LocksWebApplication.lock("k")).statusCode()).isEqualTo(404);
			assertThat(json(application.get("/health"))).containsEntry("status", "UP").doesNotContainKey("components");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.locks.access=none", "management.endpoints.access.default=none",
			"management.endpoints.access.max-permitted=none" })
	void withoutAccessThereIsNoEndpoint(String property) {
		try (LocksWebApplication application = start(EXPOSED, property)) {
			assertThat(application.get("/locks").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void greatestPermittedAccessBoundsThatOfTheEndpoint() {
		try (LocksWebApplication application = start(EXPOSED, UNRESTRICTED,
				"management.endpoints.access.max-permitted=read-only")) {
			Lease lease = application.acquire("k");

			assertThat(application.delete(LocksWebApplication.lock("k")).statusCode()).isEqualTo(405);
			assertThat(application.get("/locks").statusCode()).isEqualTo(200);
			lease.verify();
			assertThat(application.takeAudited()).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "when-authorized" })
	void keysAreHiddenFromCallersThatMayNotSeeThem(String show) {
		try (LocksWebApplication application = start(EXPOSED, UNRESTRICTED,
				"management.endpoint.locks.show-values=" + show)) {
			application.acquire("secret:1");
			application.acquire("secret:2");

			HttpResponse<String> instance = application.get("/locks");
			HttpResponse<String> page = application.get("/locks/local?limit=1");

			assertThat(instance.body()).doesNotContain("secret");
			assertThat(JsonPath.<List<String>>read(instance.body(), "$.stores.local.held[*].keys[*]"))
				.containsExactly("******", "******");
			assertThat(page.body()).doesNotContain("secret");
			assertThat(json(page)).containsEntry("next", "******");
			assertThat(json(application.get(LocksWebApplication.lock("secret:1")))).containsEntry("reason",
					"held-here");
			assertThat(json(application.delete(LocksWebApplication.lock("secret:1")))).containsEntry("outcome",
					"released");
		}
	}

	@Test
	void locksAreAComponentOfTheHealthButInNoGroupOfProbes() {
		try (LocksWebApplication application = start("management.endpoint.health.show-details=always",
				"management.endpoint.health.probes.enabled=true", "lock.health.interval=1ms",
				"lock.health.probe=always")) {
			assertThat(json(application.get("/health/locks/local"))).containsEntry("status", "UP");
			assertThat(JsonPath.<String>read(application.get("/health/locks/local").body(), "$.details.evidence"))
				.isEqualTo("probe");

			try (LocalLocks.Outage outage = application.store().makeUnavailable()) {
				assertThat(outage).isNotNull();
				Awaitility.await().until(() -> application.get("/health").statusCode() == 503);
				HttpResponse<String> health = application.get("/health");
				HttpResponse<String> readiness = application.get("/health/readiness");
				HttpResponse<String> liveness = application.get("/health/liveness");

				assertThat(JsonPath.<String>read(health.body(), "$.components.locks.components.local.status"))
					.isEqualTo("DOWN");
				assertThat(List.of(readiness, liveness)).allSatisfy((group) -> {
					assertThat(group.statusCode()).isEqualTo(200);
					assertThat(group.body()).doesNotContain("locks");
				});
			}
			Awaitility.await().until(() -> application.get("/health").statusCode() == 200);
		}
	}

	@Test
	void locksCanBeAddedToTheGroupOfReadiness() {
		try (LocksWebApplication application = start("management.endpoint.health.probes.enabled=true",
				"management.endpoint.health.group.readiness.include=readinessState,locks", "lock.health.probe=always",
				"lock.health.interval=1ms")) {
			assertThat(application.get("/health/readiness").statusCode()).isEqualTo(200);

			try (LocalLocks.Outage outage = application.store().makeUnavailable()) {
				assertThat(outage).isNotNull();
				Awaitility.await().until(() -> application.get("/health/readiness").statusCode() == 503);
				assertThat(application.get("/health/liveness").statusCode()).isEqualTo(200);
			}
		}
	}

}
