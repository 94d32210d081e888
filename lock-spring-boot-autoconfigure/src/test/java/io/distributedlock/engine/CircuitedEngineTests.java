package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.StoreListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an engine whose circuit opens while the store does not answer.
 */
class CircuitedEngineTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final EngineFixture fixture = new EngineFixture(
			new EngineInstruments(LockObserver.NONE, new LockLimits(LimitSettings.NONE),
					new CircuitSettings(3, Duration.ofSeconds(2), INTERVAL, Duration.ofSeconds(4)),
					List.of(new StoreListener() {

						@Override
						public void circuitOpened(String store, Throwable cause) {
							CircuitedEngineTests.this.events.add("opened " + store + ": " + cause.getMessage());
						}

						@Override
						public void circuitClosed(String store, Duration openFor) {
							CircuitedEngineTests.this.events.add("closed " + store);
						}

					})));

	private final Lease held = this.fixture.template.acquire(LockRequest.of("held before"));

	@BeforeEach
	void cutOff() {
		this.fixture.backend.cutOff();
	}

	@Test
	void callersFailAtOnceWhileItIsOpen() {
		open();
		int attempts = this.fixture.backend.attempts.get();

		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.fixture.template.acquire(LockRequest.of("another")))
				.withMessageContaining("connection refused")
				.withMessageContaining("lock.circuit.probe-interval");
		}

		assertThat(this.fixture.backend.attempts).hasValue(attempts);
		await().untilAsserted(() -> assertThat(this.events).containsExactly("opened controlled: connection refused"));
	}

	@Test
	void waitersEndWhenItOpens() {
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofHours(1)));

		open();

		await().until(waiting::isDone);
		assertThat(waiting).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class);
		assertThat(this.fixture.engine.monitor().waiting()).isEmpty();
	}

	@Test
	void tryFailsAndIsNotBusy() {
		open();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryAcquire(REQUEST));
	}

	@Test
	void oneCallerProbesInEachInterval() {
		open();
		int before = this.fixture.backend.attempts.get();

		for (int i = 0; i < 10; i++) {
			this.fixture.advance(INTERVAL);
			for (int caller = 0; caller < 20; caller++) {
				acquireAsync(LockRequest.of("caller " + caller));
			}
		}

		assertThat(this.fixture.backend.attempts.get() - before).isEqualTo(10);
	}

	@Test
	void probeThatIsAnsweredLetsAllPassAgain() {
		open();
		this.fixture.backend.restore();
		this.fixture.advance(INTERVAL);

		Lease probing = acquireAsync(REQUEST).join();
		Lease next = acquireAsync(LockRequest.of("another")).join();

		assertThat(probing.isHeld()).isTrue();
		assertThat(next.isHeld()).isTrue();
		assertThat(this.fixture.engine.monitor().circuit()).isEqualTo(CircuitState.CLOSED);
		await().untilAsserted(() -> assertThat(this.events).last().isEqualTo("closed controlled"));
	}

	@Test
	void renewalsAndReleasesPassWhileItIsOpen() {
		open();
		int renewals = this.fixture.backend.renewals.get();
		this.fixture.backend.restore();

		this.held.verify();
		assertThat(this.fixture.backend.renewals.get()).isGreaterThan(renewals);
		assertThat(this.held.release()).isTrue();
		assertThat(this.fixture.engine.monitor().circuit()).isEqualTo(CircuitState.OPEN);
	}

	@Test
	void healthProbePassesWhileItIsOpenAndClosesIt() {
		open();
		this.fixture.backend.restore();

		assertThat(this.fixture.engine.monitor().probe().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.fixture.engine.monitor().circuit()).isEqualTo(CircuitState.CLOSED);
	}

	@Test
	void refusalsOfTheStoreDoNotOpenIt() {
		this.fixture.backend.refuse();

		fail(10);

		assertThat(this.fixture.engine.monitor().circuit()).isEqualTo(CircuitState.CLOSED);
	}

	private void open() {
		fail(2);
		this.fixture.advance(Duration.ofSeconds(2));
		fail(1);
		assertThat(this.fixture.engine.monitor().circuit()).isEqualTo(CircuitState.OPEN);
	}

	private void fail(int times) {
		for (int i = 0; i < times; i++) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.fixture.template.acquire(LockRequest.of("failing").waitTime(Duration.ZERO)));
		}
	}

	private CompletableFuture<Lease> acquireAsync(LockRequest request) {
		return this.fixture.template.acquireAsync(request).toCompletableFuture();
	}

}
