package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A store that can't be asked is distinguished from one that refuses.
 */
abstract class FaultContract extends InspectionContract {

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

	private final String key = newKey();

	@Test
	void attemptOnAFreeLockIsUnavailableAndNotBusy() {
		assumeCutOff();
		first();
		cutOff(first());

		assertUnavailable();
	}

	@Test
	void attemptOnAHeldLockIsUnavailableAndNotBusy() {
		assumeCutOff();
		first();
		acquire(second(), this.key);
		cutOff(first());

		assertUnavailable();
	}

	@Test
	void renewalIsUnknownAndNotLost() {
		assumeCutOff();
		LeaseGrant grant = acquire(first(), this.key);
		cutOff(first());

		CompletionStage<List<RenewalOutcome>> renewal = first().renew(List.of(new Renewal(grant, longTtl())));

		List<RenewalOutcome> outcomes = get(
				renewal.exceptionally((failure) -> List.of(new RenewalOutcome.Unknown(failure))));
		assertThat(outcomes).hasSize(1).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
	}

	@Test
	void releaseFailsAndDoesNotReportLost() {
		assumeCutOff();
		LeaseGrant grant = acquire(first(), this.key);
		cutOff(first());

		assertFails(first().release(grant, Duration.ZERO));
	}

	/**
	 * A client that repeats an unanswered request finds no lease. It must not mistake the
	 * effect of its own first request for a loss of the lease, or a loss for that effect.
	 */
	@Test
	void releaseThatWasCarriedOutAndNotAnsweredIsUnknown() {
		assumeAnswersGetLost();
		LeaseGrant grant = acquire(first(), this.key);
		second();
		loseAnswers(first());

		CompletionStage<Boolean> released = first().release(grant, Duration.ZERO);
		awaitNoHolder();
		restore(first());

		assertFails(released);
		assertFree(second(), this.key);
	}

	/**
	 * If the holder is looked up first, that may be the only unanswered request.
	 */
	@Test
	void forcedReleaseThatIsNotAnsweredIsNeverTakenForNone() {
		assumeAnswersGetLost();
		acquire(second(), this.key);
		first();
		loseAnswers(first());

		CompletionStage<Boolean> forced = first().forceRelease(this.key, Duration.ZERO);
		restore(first());

		assertThat(get(forced.exceptionally((unknown) -> true))).isTrue();
	}

	private void awaitNoHolder() {
		Awaitility.await("the release is carried out")
			.atMost(Duration.ofSeconds(30))
			.until(() -> get(second().find(this.key)).isEmpty());
	}

	@Test
	void otherRequestsFail() {
		assumeCutOff();
		LeaseGrant grant = acquire(first(), this.key);
		cutOff(first());

		List<CompletionStage<?>> requests = List.of(
				first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))), first().find(this.key),
				first().list(null, 10), first().forceRelease(this.key, Duration.ZERO));

		// All have been sent by now, and a store may need its whole timeout for each.
		requests.forEach(FaultContract::assertFails);
	}

	@Test
	void leaseThatStoodThroughTheFaultIsRenewedAndReleasedAfterIt() {
		assumeCutOff();
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = acquire(first(), this.key);
		cutOff(first());
		assertUnavailable();
		assertBusy(second(), this.key);

		restore(first());

		assertStands(first(), grant);
		assertThat(release(first(), grant)).isTrue();
		assertFree(second(), this.key);
	}

	@Test
	void leaseOfAClientThatIsCutOffRunsOut() {
		assumeCutOff();
		LeaseGrant grant = acquire(first(), this.key, briefTtl());
		cutOff(first());
		letExpire(first(), briefTtl());

		LeaseGrant next = acquire(second(), this.key);
		restore(first());

		assertLost(first(), grant);
		assertThat(release(first(), grant)).isFalse();
		assertStands(second(), next);
	}

	private void assertUnavailable() {
		Contender contender = first().contend(LockTarget.exclusive(this.key), () -> {
		});
		LeaseRequest request = new LeaseRequest(OwnerId.random(), longTtl(), 1, null, false, CALL_TIMEOUT,
				CALL_TIMEOUT);
		AttemptOutcome outcome = get(
				contender.attempt(request).exceptionally((failure) -> new AttemptOutcome.Unavailable(failure, true)));
		contender.withdraw();
		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	private static void assertFails(CompletionStage<?> stage) {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> stage.toCompletableFuture().get(30, TimeUnit.SECONDS));
	}

}
