package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine renews a lease at the store exactly as long as it is held.
 */
abstract class EngineRenewalContract extends EngineAcquisitionContract {

	private final String key = newKey();

	private final LockRequest request = LockRequest.of(this.key).ttl(renewedTtl());

	@Test
	void renewalKeepsALeaseOverSeveralTtlsAgainstAllContenders() {
		Lease lease = acquire(here(), this.request);
		CompletableFuture<Lease> waiting = there().template().acquireAsync(patient(this.key)).toCompletableFuture();

		assertKept(lease, renewedTtl().multipliedBy(2));

		assertThat(waiting).isNotDone();
		assertThat(lease.release()).isTrue();
		await(waiting);
	}

	@Test
	void nothingIsRenewedAfterTheRelease() {
		Lease lease = acquire(here(), this.request);
		until("the lease is renewed", () -> here().store().renewals() > 0);

		lease.release();

		assertThat(find(first(), this.key)).isEmpty();
		int renewals = here().store().renewals();
		elapse(briefTtl());
		assertThat(here().store().renewals()).isEqualTo(renewals);
		assertThat(find(first(), this.key)).isEmpty();
	}

	@Test
	void renewalsThatFailAreRepeatedInTime() {
		EngineClient here = open((client) -> new FailingRenewals(client, 2));
		Lease lease = acquire(here, this.request);

		assertKept(lease, renewedTtl().multipliedBy(4).dividedBy(3));

		assertThat(here.store().renewals()).as("how often it was renewed").isGreaterThan(2);
	}

	@Test
	void cutShorterThanTheTtlLosesNoLease() {
		assumeCutOff();
		assumeLeasesHaveTheirOwnTtl();
		Lease lease = acquire(here(), this.request);

		cutOff(here().client());
		elapse(renewedTtl().dividedBy(2));
		restore(here().client());

		assertKept(lease, renewedTtl().multipliedBy(2).dividedBy(3));
		assertThat(lease.release()).isTrue();
	}

	@Test
	void leaseThatFollowsALostOneIsRenewedLikeAnyOther() {
		assumeCutOff();
		Lease lost = acquire(here(), this.request.ttl(briefTtl()));
		cutOff(here().client());
		letExpire(here().client(), briefTtl());
		assertThat(lost.isHeld()).isFalse();
		restore(here().client());

		Lease lease = await(here().template().acquireAsync(patient(this.key).ttl(renewedTtl())));

		assertKept(lease, renewedTtl().multipliedBy(4).dividedBy(3));
		assertThat(lost.release()).isFalse();
		assertThat(lease.release()).isTrue();
	}

	private void assertKept(Lease lease, Duration time) {
		long end = now() + time.toNanos();
		while (now() - end < 0) {
			elapse(briefTtl().dividedBy(10));
			assertThat(lease.isHeld()).as("whether the lease is held, with %d ms to go", (end - now()) / 1_000_000)
				.isTrue();
			assertThat(elsewhere().template().tryAcquire(this.key)).as("a contender's try").isEmpty();
		}
	}

	/**
	 * A client whose first renewals fail.
	 */
	private static final class FailingRenewals extends DecoratedBackend {

		private final AtomicInteger left;

		FailingRenewals(LockBackend delegate, int count) {
			super(delegate);
			this.left = new AtomicInteger(count);
		}

		@Override
		public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
			return (this.left.getAndDecrement() > 0)
					? CompletableFuture.failedFuture(new IllegalStateException("The connection was reset"))
					: super.renew(renewals);
		}

	}

}
