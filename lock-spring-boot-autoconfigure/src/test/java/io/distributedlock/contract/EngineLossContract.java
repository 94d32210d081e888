package io.distributedlock.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder that has lost its lease knows this before another client has the lock, and
 * does no harm afterwards. Leases that end by their bounds also end at the store.
 */
abstract class EngineLossContract extends EngineRenewalContract {

	private static final Duration HOLD = Duration.ofMillis(500);

	private final String key = newKey();

	private final LockRequest request = LockRequest.of(this.key).ttl(briefTtl());

	private final AtomicInteger told = new AtomicInteger();

	@Test
	void holderThatIsCutOffHasLostItsLeaseBeforeAnotherIsGrantedTheLock() {
		assumeCutOff();
		Lease lease = acquireHere(this.request);
		AtomicBoolean heldAtGrant = new AtomicBoolean();
		there().store().atGrant(() -> heldAtGrant.set(lease.isHeld()));
		CompletableFuture<Lease> waiting = there().template().acquireAsync(patient(this.key)).toCompletableFuture();

		cutOff(here().client());
		letExpire(here().client(), briefTtl());
		Lease next = await(waiting);

		assertThat(heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		assertThat(lease.isHeld()).isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		assertToldOnce(LossReason.EXPIRED);
	}

	@Test
	void holderThatWasCutOffIsNotifiedOnceAndReleasesNoOtherLock() {
		assumeCutOff();
		Lease lease = acquireHere(this.request);
		cutOff(here().client());
		letExpire(here().client(), briefTtl());
		Lease next = await(there().template().acquireAsync(patient(this.key)));

		restore(here().client());
		assertThat(lease.release()).as("release of the lost lease").isFalse();
		// Requests that were not answered while the client was cut off are sent again
		// meanwhile.
		elapse(Duration.ofMillis(1_200));

		next.verify();
		assertThat(elsewhere().template().tryAcquire(this.key)).isEmpty();
		assertThat(next.release()).isTrue();
		assertToldOnce(LossReason.EXPIRED);
	}

	@Test
	void leaseOfAForcedReleaseIsLostForItsHolder() {
		Lease lease = acquireHere(this.request.ttl(renewedTtl()));

		boolean forced = there().locks().forceRelease(this.key);

		assertThat(forced).isTrue();
		assertThat(there().locks().find(this.key)).isEmpty();
		until("the holder learns", () -> !lease.isHeld());
		assertToldOnce(LossReason.TAKEN);
		Lease next = await(there().template().acquireAsync(patient(this.key)));
		assertThat(lease.release()).isFalse();
		next.verify();
	}

	@Test
	void engineShowsWhatAnotherOneHolds() {
		Lease lease = acquireHere(LockRequest.of(this.key));

		assertThat(there().locks().find(this.key)).hasValueSatisfying((lock) -> {
			assertThat(lock.fencingToken()).isGreaterThanOrEqualTo(lease.fencingToken());
			assertThat(lock.remaining()).isPositive().isLessThanOrEqualTo(longTtl());
		});
		assertThat(there().locks().list().map(LockInfo::key)).containsOnlyOnce(this.key);

		lease.release();

		assertThat(there().locks().find(this.key)).isEmpty();
		assertThat(there().locks().list().map(LockInfo::key)).doesNotContain(this.key);
		assertThat(there().locks().forceRelease(this.key)).isFalse();
	}

	@Test
	void maximumHoldEndsALeaseForItsHolderFirst() {
		Lease lease = acquireHere(LockRequest.of(this.key).maxHold(HOLD));
		AtomicBoolean heldAtGrant = new AtomicBoolean();
		there().store().atGrant(() -> heldAtGrant.set(lease.isHeld()));

		await(there().template().acquireAsync(patient(this.key)));

		assertThat(heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		assertToldOnce(LossReason.MAX_HOLD);
		assertThat(lease.release()).isFalse();
	}

	@Test
	void minimumHoldOutlivesTheRelease() {
		long before = now();
		Lease lease = acquireHere(LockRequest.of(this.key).minHold(HOLD));

		assertThat(lease.release()).isTrue();

		await(there().template().acquireAsync(patient(this.key)));
		assertThatMinimumHoldEndedBefore(there().store().grantedAt() - before);
	}

	@Test
	void minimumHoldOutlivesTheStopOfItsEngine() {
		long before = now();
		acquireHere(LockRequest.of(this.key).minHold(HOLD));

		stop(here());

		await(there().template().acquireAsync(patient(this.key)));
		assertThatMinimumHoldEndedBefore(there().store().grantedAt() - before);
	}

	private void assertToldOnce(LossReason reason) {
		until("the holder is notified", () -> this.told.get() > 0);
		until("the listeners are notified", () -> !here().news().losses().isEmpty());
		assertThat(this.told).as("how often the holder was notified").hasValue(1);
		assertThat(here().news().losses()).containsExactly(reason);
	}

	private void assertThatMinimumHoldEndedBefore(long nanos) {
		assertThat(Duration.ofNanos(nanos)).as("time from the acquisition to the next grant")
			.isBetween(HOLD.minus(LockClock.driftAllowance(HOLD)), HOLD.plus(soon()));
	}

	private Lease acquireHere(LockRequest request) {
		Lease lease = acquire(here(), request);
		lease.onLost((lost) -> this.told.incrementAndGet());
		return lease;
	}

}
