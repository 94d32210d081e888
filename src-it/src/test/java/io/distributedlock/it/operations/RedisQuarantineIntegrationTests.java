package io.distributedlock.it.operations;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.distributedlock.LockQuarantineBegunEvent;
import io.distributedlock.LockQuarantineEndedEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.it.operations.OperatedApplication.Answer;
import io.distributedlock.it.redis.RedisProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an application shows of the quarantine of a Redis that restarts without its data.
 */
class RedisQuarantineIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisProcess server = RedisProcess.start();

	private final String node = "127.0.0.1:" + this.server.port();

	private final List<String> properties = List.of("lock.backend=redis", "lock.redis.failover-quarantine=true",
			"lock.redis.max-ttl=3s", "lock.ttl=3s", "spring.data.redis.host=127.0.0.1",
			"spring.data.redis.port=" + this.server.port());

	@AfterEach
	void end() {
		this.server.close();
	}

	@Test
	void beginningAndEndAreEventsAndTheMeterFollows() {
		try (ScrapedApplication application = ScrapedApplication.start(Quarantines.class,
				this.properties.toArray(String[]::new))) {
			Quarantines quarantines = application.bean(Quarantines.class);
			MeterRegistry meters = application.bean(MeterRegistry.class);
			// An empty server looks like one that has lost its data.
			await().atMost(PATIENCE).until(() -> quarantines.ended.size() == 1);
			await().atMost(PATIENCE).until(() -> quarantined(meters) == 0);
			assertThat(quarantines.begun).hasSize(1);

			this.server.kill();
			this.server.restart();

			await().atMost(PATIENCE).until(() -> quarantines.begun.size() == 2);
			await().atMost(PATIENCE).until(() -> quarantined(meters) == 1);
			await().atMost(PATIENCE).until(() -> quarantines.ended.size() == 2);
			await().atMost(PATIENCE).until(() -> quarantined(meters) == 0);
			assertThat(quarantines.begun).hasSize(2)
				.allSatisfy((event) -> assertThat(event.remaining()).isPositive().isLessThan(Duration.ofSeconds(4)))
				.extracting(LockQuarantineBegunEvent::backend)
				.containsOnly("redis");
			application.bean(LockTemplate.class).acquire(LockRequest.of("order:42").waitTime(PATIENCE)).close();
		}
	}

	@Test
	void healthShowsTheServerUnderQuarantine() {
		try (OperatedApplication application = OperatedApplication.start(this.properties)) {
			Answer quarantined = health(application, "OUT_OF_SERVICE");
			System.out.println(quarantined);

			assertThat(quarantined.status()).isEqualTo(503);
			assertThat(quarantined.read("$.details.error"))
				.isEqualTo("it may have forgotten locks, and grants none until its quarantine is over");
			assertThat((Integer) quarantined.read("$.details.quarantineMs")).isNotNegative();
			assertThat(quarantined.read("$.details.nodes[0].node")).isEqualTo(this.node);
			assertThat(quarantined.read("$.details.nodes[0].state")).isEqualTo("quarantined");
			assertThat(quarantined.read("$.details.quorum")).isNull();

			Answer up = health(application, "UP");
			System.out.println(up);
			assertThat(up.read("$.details.nodes")).isEqualTo(List.of(Map.of("node", this.node, "state", "up")));
		}
	}

	private static Answer health(OperatedApplication application, String status) {
		return await().atMost(PATIENCE)
			.until(() -> application.get("/health/locks/redis"), (answer) -> status.equals(answer.read("$.status")));
	}

	private double quarantined(MeterRegistry meters) {
		return meters.get("distributed.lock.node.quarantined").tag("lock.node", this.node).gauge().value();
	}

	@Configuration(proxyBeanMethods = false)
	static class Quarantines {

		private final List<LockQuarantineBegunEvent> begun = new CopyOnWriteArrayList<>();

		private final List<LockQuarantineEndedEvent> ended = new CopyOnWriteArrayList<>();

		@EventListener
		void begun(LockQuarantineBegunEvent event) {
			this.begun.add(event);
		}

		@EventListener
		void ended(LockQuarantineEndedEvent event) {
			this.ended.add(event);
		}

	}

}
