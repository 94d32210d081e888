package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A client that hands everything on; subclasses change what they want to be different.
 *
 * @since 0.1.0
 */
public abstract class DecoratedBackend implements LockBackend {

	private final LockBackend delegate;

	/**
	 * Create a decorator.
	 * @param delegate the client to hand on to
	 */
	protected DecoratedBackend(LockBackend delegate) {
		this.delegate = delegate;
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public @Nullable String address() {
		return this.delegate.address();
	}

	@Override
	public BackendTraits traits() {
		return this.delegate.traits();
	}

	@Override
	public void start(LossListener losses) {
		this.delegate.start(losses);
	}

	@Override
	public void stop() {
		this.delegate.stop();
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return contender(target, this.delegate.contend(target, wakeUp));
	}

	/**
	 * Wrap a contender: by default, so that its attempts come to
	 * {@link #attempt(LockTarget, LeaseRequest, Function)}.
	 * @param target the target
	 * @param contender the contender of the delegate
	 * @return the contender
	 */
	protected Contender contender(LockTarget target, Contender contender) {
		return new Contender() {

			@Override
			public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
				return DecoratedBackend.this.attempt(target, request, contender::attempt);
			}

			@Override
			public void withdraw() {
				contender.withdraw();
			}

		};
	}

	/**
	 * Make an attempt.
	 * @param target the target
	 * @param request the request
	 * @param attempt makes it at the delegate
	 * @return the outcome
	 */
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		return attempt.apply(request);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.delegate.wakesContenders(target);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.delegate.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return this.delegate.release(grant, cooldown);
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return this.delegate.abandon(orphans);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.delegate.find(key);
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return this.delegate.list();
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return this.delegate.forceRelease(key, cooldown);
	}

}
