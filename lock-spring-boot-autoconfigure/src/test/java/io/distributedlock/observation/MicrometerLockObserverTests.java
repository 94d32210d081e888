package io.distributedlock.observation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MicrometerLockObserver}.
 */
class MicrometerLockObserverTests {

	private static final String ACQUIRE = "distributed.lock.acquire";

	private static final String HOLD = "distributed.lock.hold";

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final ObservedLocks locks = new ObservedLocks();

	private final LockTemplate template = template(null, null);

	private LockTemplate template(@Nullable AcquireObservationConvention acquire,
			@Nullable HoldObservationConvention hold) {
		return ObservedLocks.template(this.locks
			.engine(new MicrometerLockObserver(() -> this.registry, new LockNameTags(100), (store, request) -> {
			}, acquire, hold)));
	}

	/**
	 * Return how the observations of a kind have ended, {@code null} for those under way.
	 */
	private List<@Nullable String> outcomes(Class<? extends LockObservationContext> type) {
		List<@Nullable String> outcomes = new ArrayList<>();
		assertThat(this.registry).hasHandledContextsThatSatisfy((contexts) -> contexts.stream()
			.filter(type::isInstance)
			.map(type::cast)
			.forEach((context) -> outcomes.add(context.getOutcome())));
		return outcomes;
	}

	private void awaitOutcomes(Class<? extends LockObservationContext> type, String... outcomes) {
		await().untilAsserted(() -> assertThat(outcomes(type)).containsExactly(outcomes));
	}

	@Test
	void acquisitionAndHoldHaveTheirNamesAndKeyValues() {
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);
		lease.release();

		assertThat(this.registry).hasObservationWithNameEqualTo(ACQUIRE)
			.that()
			.hasBeenStopped()
			.doesNotHaveError()
			.hasContextualNameEqualTo("acquire lock order")
			.hasOnlyKeys("lock.name", "lock.store", "lock.mode", "lock.outcome", "lock.key", "lock.fencing_token")
			.hasLowCardinalityKeyValue("lock.name", "order")
			.hasLowCardinalityKeyValue("lock.store", ObservedLocks.STORE)
			.hasLowCardinalityKeyValue("lock.mode", "exclusive")
			.hasLowCardinalityKeyValue("lock.outcome", "acquired")
			.hasHighCardinalityKeyValue("lock.key", ObservedLocks.KEY)
			.hasHighCardinalityKeyValue("lock.fencing_token", Long.toString(lease.fencingToken()));
		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD)
			.that()
			.hasBeenStopped()
			.doesNotHaveError()
			.hasContextualNameEqualTo("hold lock order")
			.hasOnlyKeys("lock.name", "lock.store", "lock.mode", "lock.outcome", "lock.key", "lock.fencing_token")
			.hasLowCardinalityKeyValue("lock.name", "order")
			.hasLowCardinalityKeyValue("lock.outcome", "released")
			.hasHighCardinalityKeyValue("lock.key", ObservedLocks.KEY)
			.hasHighCardinalityKeyValue("lock.fencing_token", Long.toString(lease.fencingToken()));
	}

	@Test
	void keyNeverIsATag() {
		this.template.execute(LockRequest.of(ObservedLocks.KEY), (lease) -> 1);

		assertThat(this.registry).hasNumberOfObservationsEqualTo(2)
			.forAllObservationsWithNameEqualTo(ACQUIRE,
					(observation) -> observation.hasLowCardinalityKeyValue("lock.name", "none"))
			.forAllObservationsWithNameEqualTo(HOLD,
					(observation) -> observation.hasLowCardinalityKeyValue("lock.name", "none"));
	}

	@Test
	void outcomeAppearsAtTheEnd() {
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);

		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD)
			.that()
			.isNotStopped()
			.doesNotHaveLowCardinalityKeyValueWithKey("lock.outcome");
		lease.release();
	}

	@Test
	void leaseThatIsHandedOverSaysSo() {
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);
		CompletableFuture<Lease> first = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();
		CompletableFuture<Lease> second = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();
		elsewhere.release();
		first.join().release();
		second.join().release();

		assertThat(outcomes(AcquireObservationContext.class)).containsExactly("acquired", "handed-over");
		assertThat(outcomes(HoldObservationContext.class)).containsExactly("released", "released");
	}

	@Test
	void busyLockIsNoError() {
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);

		assertThat(this.template.tryAcquire(ObservedLocks.REQUEST)).isEmpty();
		assertThat(this.registry).hasSingleObservationThat()
			.hasNameEqualTo(ACQUIRE)
			.hasBeenStopped()
			.doesNotHaveError()
			.hasLowCardinalityKeyValue("lock.outcome", "busy")
			.doesNotHaveHighCardinalityKeyValueWithKey("lock.fencing_token");
		elsewhere.release();
	}

	@Test
	void unavailableStoreIsAnError() {
		this.locks.backend.setReachable(false);

		assertThatThrownBy(() -> this.template.tryAcquire(ObservedLocks.REQUEST))
			.isInstanceOf(LockUnavailableException.class);
		assertThat(this.registry).hasSingleObservationThat()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("lock.outcome", "unavailable")
			.assertThatError()
			.isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void cancelledWaitIsNoError() {
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);
		CompletableFuture<Lease> later = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();

		later.cancel(true);

		awaitOutcomes(AcquireObservationContext.class, "cancelled");
		await().untilAsserted(() -> assertThat(this.registry).hasSingleObservationThat().hasBeenStopped());
		assertThat(this.registry).hasSingleObservationThat().doesNotHaveError();
		elsewhere.release();
	}

	@Test
	void interruptedWaitIsCancelled() throws InterruptedException {
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);
		Thread caller = new Thread(() -> assertThatThrownBy(() -> this.template.acquire(ObservedLocks.REQUEST))
			.isInstanceOf(LockInterruptedException.class));
		caller.start();
		await().until(() -> this.locks.backend.isWaitedFor(ObservedLocks.KEY));

		caller.interrupt();
		caller.join();

		assertThat(outcomes(AcquireObservationContext.class)).containsExactly("cancelled");
		assertThat(this.registry).hasSingleObservationThat().doesNotHaveError();
		elsewhere.release();
	}

	@Test
	void tickThatHasRunIsDone() {
		LockRequest tick = ObservedLocks.REQUEST.tick(Instant.ofEpochSecond(60));
		this.template.acquire(tick).release();

		assertThat(this.template.tryAcquire(tick)).isEmpty();

		assertThat(outcomes(AcquireObservationContext.class)).containsExactly("acquired", "done");
		assertThat(this.registry).forAllObservationsWithNameEqualTo(ACQUIRE,
				(observation) -> observation.doesNotHaveError());
	}

	@Test
	void lostLeaseIsAnErrorAndEndsOnce() {
		Lease lease = this.template.acquire(ObservedLocks.REQUEST);

		this.locks.backend.expire(ObservedLocks.KEY);

		awaitOutcomes(HoldObservationContext.class, "lost");
		await()
			.untilAsserted(() -> assertThat(this.registry).hasObservationWithNameEqualTo(HOLD).that().hasBeenStopped());
		assertThat(lease.release()).isFalse();
		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD)
			.that()
			.assertThatError()
			.isInstanceOfSatisfying(LeaseLostException.class,
					(lost) -> assertThat(lost.reason()).isEqualTo(LossReason.EXPIRED));
	}

	@Test
	void callersObservationIsTheParentOfBoth() {
		Observation caller = Observation.start("request", this.registry);
		try (Observation.Scope scope = caller.openScope()) {
			this.template.execute(ObservedLocks.REQUEST, (lease) -> 1);
		}

		assertThat(this.registry).hasObservationWithNameEqualTo(ACQUIRE).that().hasParentObservationEqualTo(caller);
		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD).that().hasParentObservationEqualTo(caller);
	}

	@Test
	void callersObservationIsTheParentOfALeaseThatArrivesLater() {
		Lease elsewhere = this.locks.other.acquire(ObservedLocks.KEY);
		Observation caller = Observation.start("request", this.registry);
		CompletableFuture<Lease> later;
		try (Observation.Scope scope = caller.openScope()) {
			later = this.template.acquireAsync(ObservedLocks.REQUEST).toCompletableFuture();
		}
		elsewhere.release();
		later.join().release();

		assertThat(this.registry).hasObservationWithNameEqualTo(ACQUIRE).that().hasParentObservationEqualTo(caller);
		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD).that().hasParentObservationEqualTo(caller);
	}

	@Test
	void holdIsCurrentInsideTheBodyAndNotAfterwards() {
		Observation caller = Observation.start("request", this.registry);
		try (Observation.Scope scope = caller.openScope()) {
			String inside = this.template.execute(ObservedLocks.REQUEST, (lease) -> current());

			assertThat(inside).isEqualTo(HOLD);
			assertThat(this.registry.getCurrentObservation()).isSameAs(caller);
		}
	}

	@Test
	void holdIsNotCurrentAfterABodyThatFails() {
		assertThatThrownBy(() -> this.template.executeWithoutResult(ObservedLocks.REQUEST, (lease) -> {
			throw new IllegalStateException(current());
		})).hasMessage(HOLD);

		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(outcomes(HoldObservationContext.class)).containsExactly("released");
		assertThat(this.registry).hasObservationWithNameEqualTo(HOLD).that().doesNotHaveError();
	}

	@Test
	void bodyThatReentersTheLockStaysInItsHold() {
		String inside = this.template.execute(ObservedLocks.REQUEST,
				(outer) -> this.template.execute(ObservedLocks.REQUEST, (inner) -> current()) + " " + current());

		assertThat(inside).isEqualTo(HOLD + " " + HOLD);
		assertThat(outcomes(AcquireObservationContext.class)).containsExactly("acquired");
		assertThat(outcomes(HoldObservationContext.class)).containsExactly("released");
	}

	@Test
	void holdIsCurrentInsideAnAsynchronousBody() {
		String inside = this.template
			.executeAsync(ObservedLocks.REQUEST, (lease) -> CompletableFuture.completedFuture(current()))
			.toCompletableFuture()
			.join();

		assertThat(inside).isEqualTo(HOLD);
		awaitOutcomes(HoldObservationContext.class, "released");
	}

	private String current() {
		Observation current = this.registry.getCurrentObservation();
		return (current != null && !current.isNoop()) ? String.valueOf(current.getContextView().getName()) : "none";
	}

	@Test
	void conventionsReplaceTheDefaults() {
		LockTemplate custom = template(new DefaultAcquireObservationConvention() {

			@Override
			public String getName() {
				return "my.acquire";
			}

		}, new DefaultHoldObservationConvention() {

			@Override
			public KeyValues getLowCardinalityKeyValues(HoldObservationContext context) {
				return super.getLowCardinalityKeyValues(context).and("tenant", "eu");
			}

		});

		custom.execute(ObservedLocks.REQUEST, (lease) -> 1);

		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo("my.acquire", 1)
			.hasNumberOfObservationsWithNameEqualTo(ACQUIRE, 0)
			.hasObservationWithNameEqualTo(HOLD)
			.that()
			.hasLowCardinalityKeyValue("tenant", "eu")
			.hasLowCardinalityKeyValue("lock.outcome", "released");
	}

	@Test
	void globalConventionReplacesTheDefault() {
		this.registry.observationConfig().observationConvention(new GlobalAcquireConvention());

		this.template.execute(ObservedLocks.REQUEST, (lease) -> 1);

		assertThat(this.registry).hasNumberOfObservationsWithNameEqualTo("global.acquire", 1)
			.hasNumberOfObservationsWithNameEqualTo(HOLD, 1);
	}

	@Test
	void filterCanRemoveTheKey() {
		ObservationFilter filter = (context) -> context.removeHighCardinalityKeyValue("lock.key");
		this.registry.observationConfig().observationFilter(filter);

		this.template.execute(ObservedLocks.REQUEST, (lease) -> 1);

		for (String name : List.of(ACQUIRE, HOLD)) {
			assertThat(this.registry).forAllObservationsWithNameEqualTo(name,
					(observation) -> observation.doesNotHaveHighCardinalityKeyValueWithKey("lock.key")
						.hasHighCardinalityKeyValueWithKey("lock.fencing_token"));
		}
	}

	@Test
	void observationThatIsSwitchedOffChangesNothing() {
		this.registry.observationConfig().observationPredicate((name, context) -> !name.startsWith("distributed.lock"));

		String inside = this.template.execute(ObservedLocks.REQUEST, (lease) -> current());

		assertThat(inside).isEqualTo("none");
		assertThat(this.registry).doesNotHaveAnyObservation();
	}

	@Test
	void registryWithoutHandlersIsNotUsed() {
		ObservationRegistry silent = ObservationRegistry.create();
		List<LockRequest> requests = new ArrayList<>();
		MicrometerLockObserver observer = new MicrometerLockObserver(() -> silent, new LockNameTags(100),
				(store, request) -> requests.add(request), null, null);

		ObservedLocks.template(this.locks.engine(observer)).execute(ObservedLocks.REQUEST, (lease) -> 1);

		assertThat(observer.begin(ObservedLocks.STORE, ObservedLocks.REQUEST)).isSameAs(LockObserver.Acquisition.NONE);
		assertThat(requests).hasSize(2);
	}

	@Test
	void namesBeyondTheBoundShareATag() {
		MicrometerLockObserver observer = new MicrometerLockObserver(() -> this.registry, new LockNameTags(1),
				(store, request) -> {
				}, null, null);
		LockTemplate bounded = ObservedLocks.template(this.locks.engine(observer));

		bounded.execute(ObservedLocks.REQUEST, (lease) -> 1);
		bounded.execute(ObservedLocks.REQUEST.name("invoice"), (lease) -> 1);

		assertThat(this.registry).hasAnObservationWithAKeyValue("lock.name", "order")
			.hasAnObservationWithAKeyValue("lock.name", "other");
	}

	/**
	 * A convention for all observations of acquisitions.
	 */
	private static final class GlobalAcquireConvention extends DefaultAcquireObservationConvention
			implements GlobalObservationConvention<AcquireObservationContext> {

		@Override
		public String getName() {
			return "global.acquire";
		}

	}

}
