package io.distributedlock.it.handover;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Counts the requests of an engine to its store, and reports each grant before the engine
 * receives it.
 */
final class CountedBackend extends DecoratedBackend {

	private final AtomicInteger attempts = new AtomicInteger();

	private final AtomicInteger renewals = new AtomicInteger();

	private final AtomicInteger releases = new AtomicInteger();

	private final Consumer<LeaseGrant> onGrant;

	CountedBackend(LockBackend delegate, Consumer<LeaseGrant> onGrant) {
		super(delegate);
		this.onGrant = onGrant;
	}

	@Override
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		this.attempts.incrementAndGet();
		return super.attempt(target, request, attempt).thenApply((outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted granted) {
				this.onGrant.accept(granted.grant());
			}
			return outcome;
		});
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		this.renewals.incrementAndGet();
		return super.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		this.releases.incrementAndGet();
		return super.release(grant, cooldown);
	}

	Calls calls() {
		return new Calls(this.attempts.get(), this.renewals.get(), this.releases.get());
	}

	/**
	 * The calls of an engine until some moment. A renewal with a TTL of zero is an ask.
	 *
	 * @param attempts the number of attempts to acquire
	 * @param renewals the number of batches of renewals and asks
	 * @param releases the number of releases
	 */
	record Calls(int attempts, int renewals, int releases) {

		Calls since(Calls before) {
			return new Calls(this.attempts - before.attempts, this.renewals - before.renewals,
					this.releases - before.releases);
		}

	}

}
