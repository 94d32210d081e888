package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what an observer of an engine sees.
 */
class ObservedEngineTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY);

	private final List<String> seen = new CopyOnWriteArrayList<>();

	private final EngineFixture fixture = fixture(new Recorder());

	@Test
	void bodyRunsInsideTheScopeOfTheHold() {
		this.fixture.template.executeWithoutResult(REQUEST, (lease) -> this.seen.add("body"));

		assertThat(this.seen).containsExactly("begin", "acquired", "open", "body", "close", "end null");
	}

	@Test
	void scopeIsClosedWhenTheBodyThrows() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.fixture.template.executeWithoutResult(REQUEST, (lease) -> {
				throw new IllegalStateException("body");
			}));

		assertThat(this.seen).containsExactly("begin", "acquired", "open", "close", "end null");
	}

	@Test
	void nestedCallIsPartOfTheOutermostHold() {
		this.fixture.template.executeWithoutResult(REQUEST,
				(outer) -> this.fixture.template.executeWithoutResult(REQUEST, (inner) -> this.seen.add("body")));

		assertThat(this.seen).containsExactly("begin", "acquired", "open", "body", "close", "end null");
	}

	@Test
	void busyLockEndsTheAcquisition() {
		this.fixture.other.acquire(REQUEST);

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.waitTime(Duration.ZERO)));

		assertThat(this.seen).containsExactly("begin", "failed LockBusyException");
	}

	@Test
	void handedOverLeaseIsSeenAsSuch() {
		Lease blocking = this.fixture.other.acquire(REQUEST);
		// Both wait, so that the first has tokens for the second.
		CompletableFuture<Lease> first = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
		CompletableFuture<Lease> second = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
		blocking.release();

		first.join().release();
		second.join().release();

		assertThat(this.seen).containsExactlyInAnyOrder("begin", "begin", "acquired", "end null", "handed over",
				"end null");
	}

	@Test
	void lossEndsTheHoldOnce() {
		DefaultLease lease = (DefaultLease) this.fixture.template.acquire(REQUEST);

		lease.lose(LossReason.TAKEN);
		lease.release();

		await().untilAsserted(() -> assertThat(this.seen).containsExactly("begin", "acquired", "end TAKEN"));
	}

	@Test
	void invalidRequestIsNotObserved() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.ttl(Duration.ofNanos(1))));

		assertThat(this.seen).isEmpty();
	}

	@Test
	void observerThatThrowsChangesNothing() {
		EngineFixture failing = fixture((store, request) -> new LockObserver.Acquisition() {

			@Override
			public LockObserver.Hold acquired(Lease lease, boolean handedOver) {
				return new FailingHold();
			}

			@Override
			public void failed(Throwable failure) {
				throw new AssertionError("failed");
			}

		});

		String result = failing.template.execute(REQUEST, (lease) -> "paid");

		assertThat(result).isEqualTo("paid");
		assertThat(failing.inStore()).isEmpty();
	}

	@Test
	void observerThatThrowsAtOnceChangesNothing() {
		EngineFixture failing = fixture((store, request) -> {
			throw new AssertionError("begin");
		});

		assertThat(failing.template.<String, RuntimeException>execute(REQUEST, (lease) -> "paid")).isEqualTo("paid");
	}

	private static EngineFixture fixture(LockObserver observer) {
		return new EngineFixture(new EngineInstruments(observer, new LockLimits(LimitSettings.NONE),
				CircuitSettings.DISABLED, List.of()));
	}

	private final class Recorder implements LockObserver {

		@Override
		public Acquisition begin(String store, LockRequest request) {
			ObservedEngineTests.this.seen.add("begin");
			return new Acquisition() {

				@Override
				public Hold acquired(Lease lease, boolean handedOver) {
					ObservedEngineTests.this.seen.add(handedOver ? "handed over" : "acquired");
					return new RecordedHold();
				}

				@Override
				public void failed(Throwable failure) {
					ObservedEngineTests.this.seen.add("failed " + failure.getClass().getSimpleName());
				}

			};
		}

	}

	private final class RecordedHold implements LockObserver.Hold {

		@Override
		public LockObserver.BodyScope openScope() {
			ObservedEngineTests.this.seen.add("open");
			return () -> ObservedEngineTests.this.seen.add("close");
		}

		@Override
		public void end(@Nullable LossReason lossReason) {
			ObservedEngineTests.this.seen.add("end " + lossReason);
		}

	}

	private static final class FailingHold implements LockObserver.Hold {

		@Override
		public LockObserver.BodyScope openScope() {
			return () -> {
				throw new AssertionError("close");
			};
		}

		@Override
		public void end(@Nullable LossReason lossReason) {
			throw new AssertionError("end");
		}

	}

}
