package io.distributedlock.observation;

import java.util.function.BiConsumer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LossReason;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LockObserver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that observers, conventions and handlers that fail change nothing for the
 * callers.
 */
class FailingObserverTests {

	private final ObservedLocks locks = new ObservedLocks();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private LockObserver micrometer(@Nullable AcquireObservationConvention acquire,
			@Nullable HoldObservationConvention hold) {
		return micrometer((store, request) -> {
		}, acquire, hold);
	}

	private LockObserver micrometer(BiConsumer<String, LockRequest> onRequest,
			@Nullable AcquireObservationConvention acquire, @Nullable HoldObservationConvention hold) {
		return new MicrometerLockObserver(() -> this.registry, new LockNameTags(100), onRequest, acquire, hold);
	}

	private void assertThatLocksWork(LockObserver observer) {
		LockEngine engine = this.locks.engine(observer);
		LockTemplate template = ObservedLocks.template(engine);

		assertThat(template.<String, RuntimeException>execute(ObservedLocks.REQUEST, (lease) -> "ran"))
			.isEqualTo("ran");
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture().join().release()).isTrue();
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);
		assertThat(template.tryAcquire(ObservedLocks.REQUEST)).isEmpty();
		elsewhere.release();

		Lease lease = template.acquire(ObservedLocks.REQUEST);
		this.locks.backend.expire(ObservedLocks.KEY);

		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.release()).isFalse();
		assertThat(engine.monitor().held()).isEmpty();
		assertThat(engine.monitor().waiting()).isEmpty();
		this.locks.other.acquire(ObservedLocks.KEY).release();
	}

	@Test
	void observerThatFailsToBeginChangesNothing() {
		assertThatLocksWork((store, request) -> {
			throw new LinkageError("begin");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void observerThatFailsLaterChangesNothing(boolean late) {
		assertThatLocksWork(new Failing(late));
	}

	@Test
	void metersThatFailChangeNothing() {
		this.registry.observationConfig().observationHandler(new FailingHandler("never"));

		assertThatLocksWork(micrometer((store, request) -> {
			throw new IllegalStateException("request");
		}, null, null));
	}

	@Test
	void registryThatCanNotBeCreatedChangesNothing() {
		assertThatLocksWork(new MicrometerLockObserver(() -> {
			throw new IllegalStateException("registry");
		}, new LockNameTags(100), (store, request) -> {
		}, null, null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void conventionOfAcquisitionsThatFailsChangesNothing(boolean atStart) {
		this.registry.observationConfig().observationHandler(new FailingHandler("never"));

		assertThatLocksWork(micrometer(new FailingAcquireConvention(atStart), null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void conventionOfHoldsThatFailsChangesNothing(boolean atStart) {
		this.registry.observationConfig().observationHandler(new FailingHandler("never"));

		assertThatLocksWork(micrometer(null, new FailingHoldConvention(atStart)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "start", "stop", "error", "open", "close" })
	void handlerThatFailsChangesNothing(String where) {
		this.registry.observationConfig().observationHandler(new FailingHandler(where));

		assertThatLocksWork(micrometer(null, null));
	}

	/**
	 * An observer that fails after the beginning.
	 *
	 * @param late whether the observation of a hold still begins
	 */
	private record Failing(boolean late) implements LockObserver, LockObserver.Acquisition, LockObserver.Hold {

		@Override
		public Acquisition begin(String store, LockRequest request) {
			return this;
		}

		@Override
		public Hold acquired(Lease lease, boolean handedOver) {
			if (!this.late) {
				throw new IllegalStateException("acquired");
			}
			return this;
		}

		@Override
		public void failed(Throwable failure) {
			throw new IllegalStateException("failed");
		}

		@Override
		public BodyScope openScope() {
			return () -> {
				throw new IllegalStateException("close");
			};
		}

		@Override
		public void end(@Nullable LossReason lossReason) {
			throw new LinkageError("end");
		}

	}

	/**
	 * A convention that fails at the start or at the end of an acquisition.
	 */
	private static final class FailingAcquireConvention extends DefaultAcquireObservationConvention {

		private final boolean atStart;

		FailingAcquireConvention(boolean atStart) {
			this.atStart = atStart;
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(AcquireObservationContext context) {
			if (this.atStart || context.getAcquireOutcome() != null) {
				throw new IllegalStateException("convention");
			}
			return super.getLowCardinalityKeyValues(context);
		}

	}

	/**
	 * A convention that fails at the start or at the end of a hold.
	 */
	private static final class FailingHoldConvention extends DefaultHoldObservationConvention {

		private final boolean atStart;

		FailingHoldConvention(boolean atStart) {
			this.atStart = atStart;
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(HoldObservationContext context) {
			if (this.atStart || context.getOutcome() != null) {
				throw new IllegalStateException("convention");
			}
			return super.getLowCardinalityKeyValues(context);
		}

	}

	/**
	 * A handler that fails in one of its methods.
	 *
	 * @param where the method
	 */
	private record FailingHandler(String where) implements ObservationHandler<Observation.Context> {

		private void at(String place) {
			if (this.where.equals(place)) {
				throw new IllegalStateException(place);
			}
		}

		@Override
		public void onStart(Observation.Context context) {
			at("start");
		}

		@Override
		public void onStop(Observation.Context context) {
			at("stop");
		}

		@Override
		public void onError(Observation.Context context) {
			at("error");
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			at("open");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			at("close");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
