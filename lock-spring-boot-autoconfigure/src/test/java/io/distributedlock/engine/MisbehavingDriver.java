package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A driver that misbehaves once, in its next call of a given kind. A call with a wrong
 * answer was executed at the store. The driver can also keep back the answers to attempts
 * and releases.
 */
final class MisbehavingDriver extends DecoratedBackend {

	enum Call {

		CONTEND, ATTEMPT, ATTEMPT_ONCE_TAKEN, WITHDRAW, RENEW, RELEASE, ABANDON, FIND, LIST, FORCE_RELEASE, STOP

	}

	final AtomicInteger stops = new AtomicInteger();

	private final AtomicReference<@Nullable Next> next = new AtomicReference<>();

	private final List<Runnable> keptBack = new ArrayList<>();

	private boolean keeping;

	private volatile boolean cutOff;

	MisbehavingDriver(LockBackend driver) {
		super(driver);
	}

	void misbehave(Call call, Misbehaviour misbehaviour) {
		this.next.set(new Next(call, misbehaviour));
	}

	boolean hasMisbehaved() {
		return this.next.get() == null;
	}

	/**
	 * Let attempts fail as with an unreachable store, until this is switched off.
	 */
	void cutOff(boolean isCutOff) {
		this.cutOff = isCutOff;
	}

	synchronized void keepAnswersBack() {
		this.keeping = true;
	}

	void letAnswersThrough() {
		List<Runnable> answers;
		synchronized (this) {
			this.keeping = false;
			answers = List.copyOf(this.keptBack);
			this.keptBack.clear();
		}
		answers.forEach(Runnable::run);
	}

	private synchronized <T> CompletionStage<T> answer(CompletionStage<T> stage) {
		if (!this.keeping) {
			return stage;
		}
		CompletableFuture<T> late = new CompletableFuture<>();
		this.keptBack.add(() -> stage.thenAccept(late::complete));
		return late;
	}

	private @Nullable Misbehaviour take(Call call) {
		Next armed = this.next.get();
		return (armed != null && armed.call() == call && this.next.compareAndSet(armed, null)) ? armed.misbehaviour()
				: null;
	}

	private void misbehaveIn(Call call) {
		Misbehaviour misbehaviour = take(call);
		if (misbehaviour != null) {
			misbehaviour.throwIt();
		}
	}

	@SuppressWarnings({ "NullAway", "unchecked" }) // null is the wrong answer
	private <T> CompletionStage<T> call(Call call, Supplier<CompletionStage<T>> store) {
		Misbehaviour misbehaviour = take(call);
		if (misbehaviour == null) {
			return store.get();
		}
		misbehaviour.throwIt();
		CompletionStage<T> answer = store.get();
		return switch (misbehaviour) {
			case RETURNS_NULL -> null;
			case NEVER_COMPLETES -> new CompletableFuture<>();
			case COMPLETES_WITH_NULL -> CompletableFuture.completedFuture(null);
			case COMPLETES_WITH_ERROR -> CompletableFuture.failedFuture(new AssertionError("simulated"));
			case ANSWERS_TOO_FEW -> CompletableFuture.completedFuture((T) List.of());
			case ANSWERS_NULL_FOR_EACH ->
				answer.thenApply((outcomes) -> (T) Collections.nCopies(((List<?>) outcomes).size(), null));
			default -> MisbehavingStage.of(answer, misbehaviour);
		};
	}

	@Override
	public void close() {
		this.stops.incrementAndGet();
		misbehaveIn(Call.STOP);
		super.close();
	}

	@Override
	@SuppressWarnings("NullAway") // null is the wrong answer
	public Contender contend(LockTarget target, Runnable wakeUp) {
		Misbehaviour misbehaviour = take(Call.CONTEND);
		if (misbehaviour != null) {
			misbehaviour.throwIt();
			return null;
		}
		Contender contender = super.contend(target, wakeUp);
		return new Contender() {

			@Override
			public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
				return MisbehavingDriver.this.attempt(contender, request, wakeUp);
			}

			@Override
			public void withdraw() {
				misbehaveIn(Call.WITHDRAW);
				contender.withdraw();
			}

		};
	}

	private CompletionStage<AttemptOutcome> attempt(Contender contender, LeaseRequest request, Runnable wakeUp) {
		if (this.cutOff) {
			return CompletableFuture.failedFuture(new IllegalStateException("connection refused"));
		}
		Next armed = this.next.get();
		if (armed != null && armed.misbehaviour() == Misbehaviour.WAKES_UP_THE_WAITER) {
			this.next.set(null);
			wakeUp.run();
			CompletionStage<AttemptOutcome> answer = contender.attempt(request);
			wakeUp.run();
			return answer;
		}
		CompletionStage<AttemptOutcome> answer = call(Call.ATTEMPT, () -> answer(contender.attempt(request)));
		misbehaveIn(Call.ATTEMPT_ONCE_TAKEN);
		return answer;
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return call(Call.RENEW, () -> super.renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call(Call.RELEASE, () -> answer(super.release(grant, cooldown)));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return call(Call.ABANDON, () -> super.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return call(Call.FIND, () -> super.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return call(Call.LIST, () -> super.list(next, limit));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call(Call.FORCE_RELEASE, () -> super.forceRelease(key, cooldown));
	}

	private record Next(Call call, Misbehaviour misbehaviour) {
	}

}
