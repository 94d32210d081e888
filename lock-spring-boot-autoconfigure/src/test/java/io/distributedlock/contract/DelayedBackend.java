package io.distributedlock.contract;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A client with answers that are under way for a random time: the store has executed the
 * request, and the client does not know yet.
 *
 * @since 0.1.0
 */
public class DelayedBackend extends DecoratedBackend {

	private final LockClock clock;

	private final Random random;

	private final int mostMicros;

	/**
	 * Create a client.
	 * @param delegate the client to delegate to
	 * @param clock the clock on which answers are delayed
	 * @param most the longest time for which an answer is under way
	 * @param seed the seed of the delays
	 */
	public DelayedBackend(LockBackend delegate, LockClock clock, Duration most, long seed) {
		super(delegate);
		this.clock = clock;
		this.mostMicros = (int) TimeUnit.NANOSECONDS.toMicros(most.toNanos());
		this.random = new Random(seed);
	}

	@Override
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		return late(attempt.apply(request));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return late(super.renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return late(super.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return late(super.abandon(orphans));
	}

	private <T> CompletionStage<T> late(CompletionStage<T> answer) {
		CompletableFuture<T> late = new CompletableFuture<>();
		Duration delay = Duration.of(this.random.nextInt(this.mostMicros + 1), ChronoUnit.MICROS);
		answer.whenComplete((value, failure) -> this.clock.schedule(delay, () -> {
			if (failure != null) {
				late.completeExceptionally(failure);
			}
			else {
				late.complete(value);
			}
		}));
		return late;
	}

}
