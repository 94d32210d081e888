package io.distributedlock.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.health.actuate.endpoint.SimpleStatusAggregator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AcquisitionEvidence;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.NodeStatus.State;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.SessionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockStoreHealthIndicator}.
 */
class LockStoreHealthIndicatorTests {

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private final StubStoreMonitor store = new StubStoreMonitor();

	private Health health() {
		return health(ProbeMode.WHEN_IDLE);
	}

	private Health health(ProbeMode mode) {
		return new LocksHealthFactory(new VirtualLockClock(), mode, INTERVAL, Duration.ofMillis(500), null)
			.indicator(this.store, Runnable::run)
			.health();
	}

	private void probeFails(Throwable failure) {
		this.store.probe = () -> CompletableFuture.failedFuture(failure);
	}

	private static NodeStatus node(String name, State state, @Nullable Duration remaining) {
		return new NodeStatus(name, state, remaining);
	}

	@Test
	void recentAcquisitionShowsHealthWithoutAProbe() {
		this.store.evidence = new AcquisitionEvidence(INTERVAL, Duration.ofMillis(4));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsExactly(Map.entry("store", "redis"),
				Map.entry("address", "localhost:6379"), Map.entry("evidence", "acquisition"),
				Map.entry("latencyMs", 4L), Map.entry("latencyThresholdMs", 500L), Map.entry("checkedMsAgo", 10_000L),
				Map.entry("circuit", "closed"));
		assertThat(this.store.probes).hasValue(0);
	}

	@Test
	void earlierAcquisitionDoesNotCount() {
		this.store.evidence = new AcquisitionEvidence(INTERVAL.plusNanos(1), Duration.ofMillis(4));

		assertThat(health().getDetails()).containsEntry("evidence", "probe").containsEntry("latencyMs", 3L);
		assertThat(this.store.probes).hasValue(1);
	}

	@Test
	void probeInAnyCaseDisregardsAcquisitions() {
		this.store.evidence = new AcquisitionEvidence(Duration.ZERO, Duration.ofMillis(4));

		assertThat(health(ProbeMode.ALWAYS).getDetails()).containsEntry("evidence", "probe");
	}

	@Test
	void withoutProbesAnIdleStoreIsUnknown() {
		Health health = health(ProbeMode.NEVER);

		assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
		assertThat(health.getDetails()).containsOnlyKeys("store", "address", "circuit");
		assertThat(this.store.probes).hasValue(0);
	}

	@Test
	void slowAnswerIsReported() {
		this.store.probe = () -> CompletableFuture.completedFuture(Duration.ofMillis(500).plusNanos(1));
		assertThat(health().getStatus()).isEqualTo(new Status("SLOW"));

		this.store.evidence = new AcquisitionEvidence(Duration.ZERO, Duration.ofMillis(800));
		assertThat(health().getStatus()).isEqualTo(new Status("SLOW"));

		this.store.evidence = new AcquisitionEvidence(Duration.ZERO, Duration.ofMillis(500));
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void slowHasAPlaceInTheOrderOfStatusesOnlyIfItIsConfigured() {
		Status slow = LockStoreHealthIndicator.SLOW;

		assertThat(new SimpleStatusAggregator().getAggregateStatus(slow)).isEqualTo(Status.UNKNOWN);
		assertThat(new SimpleStatusAggregator().getAggregateStatus(slow, Status.UP)).isEqualTo(Status.UP);
		assertThat(new SimpleStatusAggregator("down", "out-of-service", "slow", "up", "unknown")
			.getAggregateStatus(slow, Status.UP)).isEqualTo(slow);
	}

	@Test
	void failureIsDownAndItsMessageHasOneLine() {
		probeFails(new LockUnavailableException("Connection refused\nby localhost"));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("evidence", "probe")
			.containsEntry("checkedMsAgo", 0L)
			.containsEntry("error", "Connection refused\\nby localhost")
			.doesNotContainKey("latencyMs");
	}

	@Test
	void missingRightIsNamed() {
		probeFails(new LockRefusedException("NOPERM no permission to run 'evalsha'", null));

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails()).containsEntry("error", "NOPERM no permission to run 'evalsha'");
	}

	@Test
	void quarantineIsOutOfServiceForTheRestOfItsTime() {
		probeFails(new QuarantineException("in quarantine", Duration.ofSeconds(40)));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(health.getDetails()).containsEntry("quarantineMs", 40_000L).containsEntry("error", "in quarantine");
	}

	@Test
	void stoppedLocksAreOutOfServiceAndNotProbed() {
		this.store.running = false;
		this.store.circuit = CircuitState.OPEN;

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(health.getDetails()).containsEntry("error", "the locks are stopped");
		assertThat(this.store.probes).hasValue(0);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLOSED")
	void circuitThatIsNotClosedIsDown(CircuitState state) {
		this.store.circuit = state;

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("circuit", (state == CircuitState.OPEN) ? "open" : "half-open");
	}

	@Test
	void probeThatClosesTheCircuitIsUp() {
		this.store.circuit = CircuitState.OPEN;
		this.store.probe = () -> {
			this.store.circuit = CircuitState.CLOSED;
			return CompletableFuture.completedFuture(Duration.ofMillis(3));
		};

		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void nodesAndQuorumAreShown() {
		this.store.nodes = List.of(node("a:1", State.UP, null), node("b:1", State.QUARANTINED, Duration.ofSeconds(9)),
				node("c:1", State.UP, null));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("quorum", "2 of 3")
			.containsEntry("votingNodes", 2L)
			.containsEntry("nodes",
					List.of(Map.of("node", "a:1", "state", "up"),
							Map.of("node", "b:1", "state", "quarantined", "quarantineMs", 9_000L),
							Map.of("node", "c:1", "state", "up")));
	}

	@Test
	void withoutAQuorumTheStoreIsDownAndNotProbed() {
		this.store.nodes = List.of(node("a:1", State.UP, null), node("b:1", State.DOWN, null),
				node("c:1", State.REFUSED, null));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("error", "only 1 of 3 nodes vote, and a lease needs 2");
		assertThat(this.store.probes).hasValue(0);
	}

	@Test
	void quorumThatWaitsForQuarantinesIsOutOfServiceUntilEnoughHaveEnded() {
		this.store.nodes = List.of(node("a:1", State.QUARANTINED, Duration.ofSeconds(30)),
				node("b:1", State.QUARANTINED, Duration.ofSeconds(10)),
				node("c:1", State.QUARANTINED, Duration.ofSeconds(20)));

		Health health = health();

		assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(health.getDetails()).containsEntry("quarantineMs", 20_000L);
	}

	@Test
	void sessionIsShown() {
		this.store.session = new SessionStatus("0x1001", Duration.ofSeconds(14));

		assertThat(health().getDetails()).containsEntry("session", Map.of("id", "0x1001", "validMs", 14_000L));
	}

}
