package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.StoreCircuit.Permit;
import io.distributedlock.spi.CircuitState;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreCircuit}.
 */
class StoreCircuitTests {

	private static final Exception FAULT = new IllegalStateException("connection refused");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final List<String> news = new ArrayList<>();

	private final StoreCircuit circuit = new StoreCircuit(
			new BackendLabel("local", new LocalLockBackend(new LocalStore(this.clock), "test", this.clock)),
			new CircuitSettings(3, Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(4)), this.clock,
			new StoreCircuit.Listener() {

				@Override
				public void opened(Throwable cause) {
					StoreCircuitTests.this.news.add("opened");
				}

				@Override
				public void closed(Duration openFor) {
					StoreCircuitTests.this.news.add("closed");
				}

			});

	@Test
	void shortFaultDoesNotOpenIt() {
		failTimes(100);

		assertThat(this.circuit.state()).isEqualTo(CircuitState.CLOSED);
		assertThat(this.circuit.refusal()).isNull();
	}

	@Test
	void fewFailuresDoNotOpenIt() {
		failTimes(1);
		this.clock.advance(Duration.ofMinutes(1));
		failTimes(1);

		assertThat(this.circuit.state()).isEqualTo(CircuitState.CLOSED);
	}

	@Test
	void answerInBetweenStartsTheCountAgain() {
		failTimes(2);
		this.clock.advance(Duration.ofSeconds(6));
		this.circuit.answered();
		failTimes(2);

		assertThat(this.circuit.state()).isEqualTo(CircuitState.CLOSED);
	}

	@Test
	void failuresForLongEnoughOpenItOnce() {
		open();
		failTimes(10);

		assertThat(this.circuit.state()).isEqualTo(CircuitState.OPEN);
		assertThat(this.circuit.refusal()).isNotNull();
		assertThat(this.circuit.permit()).isNull();
		assertThat(this.news).containsExactly("opened");
	}

	@Test
	void oneAttemptProbesPerInterval() {
		open();
		this.clock.advance(Duration.ofSeconds(1));

		Permit probe = this.circuit.permit();

		assertThat(probe).isNotNull();
		assertThat(this.circuit.permit()).isNull();
		this.circuit.failed(probe, FAULT);
		assertThat(this.circuit.permit()).isNull();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.circuit.permit()).isNotNull();
	}

	@Test
	void intervalCountsFromTheBeginningOfAProbe() {
		open();
		this.clock.advance(Duration.ofSeconds(1));
		Permit probe = this.circuit.permit();

		this.clock.advance(Duration.ofMillis(900));
		this.circuit.failed(probe, FAULT);

		assertThat(this.circuit.permit()).isNull();
		this.clock.advance(Duration.ofMillis(100));
		assertThat(this.circuit.permit()).isNotNull();
	}

	@Test
	void answeredProbeClosesItOnce() {
		open();
		this.clock.advance(Duration.ofSeconds(1));
		this.circuit.permit();

		this.circuit.answered();
		this.circuit.answered();

		assertThat(this.circuit.state()).isEqualTo(CircuitState.CLOSED);
		assertThat(this.news).containsExactly("opened", "closed");
	}

	@Test
	void failureOfAnEarlierAttemptDoesNotEndTheProbe() {
		Permit earlier = this.circuit.permit();
		open();
		this.clock.advance(Duration.ofSeconds(1));
		this.circuit.permit();

		this.circuit.failed(earlier, FAULT);

		assertThat(this.circuit.state()).isEqualTo(CircuitState.HALF_OPEN);
	}

	@Test
	void probeWithoutAnOutcomeIsReplaced() {
		open();
		this.clock.advance(Duration.ofSeconds(1));
		this.circuit.permit();

		this.clock.advance(Duration.ofSeconds(4));

		assertThat(this.circuit.permit()).isNotNull();
	}

	@Test
	void exceptionNamesTheCauseAndTheProperty() {
		open();

		assertThat(this.circuit.refusal()).hasMessageContaining("'local'")
			.hasMessageContaining("connection refused")
			.hasMessageContaining("lock.circuit.probe-interval");
	}

	private void open() {
		failTimes(2);
		this.clock.advance(Duration.ofSeconds(5));
		failTimes(1);
	}

	private void failTimes(int times) {
		for (int i = 0; i < times; i++) {
			this.circuit.failed(this.circuit.permit(), FAULT);
		}
	}

}
