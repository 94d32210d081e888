package io.distributedlock.observation;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;

/**
 * Observes acquisitions and holds with Micrometer. While the registry has no handlers,
 * nothing is created.
 *
 * @since 0.1.0
 */
public final class MicrometerLockObserver implements LockObserver {

	private static final AcquireObservationConvention ACQUIRE = new DefaultAcquireObservationConvention();

	private static final HoldObservationConvention HOLD = new DefaultHoldObservationConvention();

	private final Supplier<ObservationRegistry> registries;

	// Looked up by the first acquisition. No lock is held meanwhile, because the registry
	// may have to be created, which may wait for another thread that acquires too.
	private volatile @Nullable ObservationRegistry registry;

	private final LockNameTags names;

	private final BiConsumer<String, LockRequest> onRequest;

	private final @Nullable AcquireObservationConvention acquireConvention;

	private final @Nullable HoldObservationConvention holdConvention;

	/**
	 * Create an observer.
	 * @param registries supplies the registry, always the same one; called at the first
	 * acquisition, because the engine may be created before the registry
	 * @param names bounds the names in tags
	 * @param onRequest receives each request and the name of its store, to register the
	 * meters of a new name; a listener would need a task for each request
	 * @param acquireConvention replaces the default convention of acquisitions
	 * @param holdConvention replaces the default convention of holds
	 */
	public MicrometerLockObserver(Supplier<ObservationRegistry> registries, LockNameTags names,
			BiConsumer<String, LockRequest> onRequest, @Nullable AcquireObservationConvention acquireConvention,
			@Nullable HoldObservationConvention holdConvention) {
		this.registries = registries;
		this.names = names;
		this.onRequest = onRequest;
		this.acquireConvention = acquireConvention;
		this.holdConvention = holdConvention;
	}

	@Override
	public Acquisition begin(String store, LockRequest request) {
		this.onRequest.accept(store, request);
		ObservationRegistry registry = registry();
		if (registry.isNoop()) {
			return Acquisition.NONE;
		}
		AcquireObservationContext context = new AcquireObservationContext(store, request, this.names.of(request));
		Observation parent = registry.getCurrentObservation();
		Observation observation = LockObservationDocumentation.ACQUIRE.start(this.acquireConvention, ACQUIRE,
				() -> context, registry);
		return new ObservedAcquisition(registry, context, observation, parent);
	}

	private ObservationRegistry registry() {
		ObservationRegistry known = this.registry;
		if (known == null) {
			known = this.registries.get();
			this.registry = known;
		}
		return known;
	}

	private static void stop(Observation observation, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				observation.error(failure);
			}
		}
		finally {
			observation.stop();
		}
	}

	/**
	 * An observed acquisition. It remembers the caller's observation, because the hold
	 * may begin on another thread.
	 */
	private final class ObservedAcquisition implements Acquisition {

		private final ObservationRegistry registry;

		private final AcquireObservationContext context;

		private final Observation observation;

		private final @Nullable Observation parent;

		ObservedAcquisition(ObservationRegistry registry, AcquireObservationContext context, Observation observation,
				@Nullable Observation parent) {
			this.registry = registry;
			this.context = context;
			this.observation = observation;
			this.parent = parent;
		}

		@Override
		public Hold acquired(Lease lease, boolean handedOver) {
			this.context.setLease(lease);
			this.context.setAcquireOutcome(handedOver ? AcquireOutcome.HANDED_OVER : AcquireOutcome.ACQUIRED);
			this.observation.stop();
			HoldObservationContext held = new HoldObservationContext(this.context.getStore(), this.context.getRequest(),
					this.context.getLockName());
			held.setLease(lease);
			Observation hold = LockObservationDocumentation.HOLD.observation(MicrometerLockObserver.this.holdConvention,
					HOLD, () -> held, this.registry);
			if (this.parent != null) {
				hold.parentObservation(this.parent);
			}
			return new ObservedHold(this.registry, held, hold.start());
		}

		@Override
		public void failed(Throwable failure) {
			AcquireOutcome outcome = AcquireOutcome.of(failure);
			this.context.setAcquireOutcome(outcome);
			stop(this.observation, outcome.isFault() ? failure : null);
		}

	}

	/**
	 * An observed hold. The release by its holder or its loss ends it, and the first of
	 * them counts.
	 */
	private static final class ObservedHold implements Hold {

		private final ObservationRegistry registry;

		private final HoldObservationContext context;

		private final Observation observation;

		private final AtomicBoolean ended = new AtomicBoolean();

		ObservedHold(ObservationRegistry registry, HoldObservationContext context, Observation observation) {
			this.registry = registry;
			this.context = context;
			this.observation = observation;
		}

		/**
		 * A handler that fails would leave the scope open, and the hold current for all
		 * that its thread does later.
		 */
		@Override
		public BodyScope openScope() {
			Observation.@Nullable Scope before = this.registry.getCurrentObservationScope();
			try {
				Observation.Scope scope = this.observation.openScope();
				return () -> close(scope, before);
			}
			catch (Throwable ex) {
				this.registry.setCurrentObservationScope(before);
				throw ex;
			}
		}

		private void close(Observation.Scope scope, Observation.@Nullable Scope before) {
			try {
				scope.close();
			}
			finally {
				this.registry.setCurrentObservationScope(before);
			}
		}

		@Override
		public void end(@Nullable LossReason lossReason) {
			if (!this.ended.compareAndSet(false, true)) {
				return;
			}
			this.context.setEnded(lossReason);
			stop(this.observation, (lossReason != null) ? loss(lossReason) : null);
		}

		private LeaseLostException loss(LossReason reason) {
			return new LeaseLostException(this.context.getRequest().getKeys().get(0), reason,
					"The lease was lost before it was released: " + reason);
		}

	}

}
