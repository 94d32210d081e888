package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StoreCheck}.
 */
class StoreCheckTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final LocalStore store = new LocalStore(new SystemLockClock());

	private final FaultyBackend backend = new FaultyBackend(
			new LocalLockBackend(this.store, "test", new SystemLockClock()));

	private final LockEngine engine = new LockEngine(this.backend, settings(), new SystemLockClock(), List.of(),
			List.of());

	private final StoreCheck check = new StoreCheck(this.engine);

	/**
	 * Return settings with which the end of a test does not wait for silent stores.
	 */
	private static EngineSettings settings() {
		EngineSettings defaults = EngineSettings.DEFAULTS;
		return new EngineSettings(defaults.ttl(), defaults.waitTime(), null, defaults.callTimeout(),
				Duration.ofMillis(10), defaults.handOver());
	}

	@AfterEach
	void stop() {
		this.engine.stop();
	}

	@Test
	void storeThatDoesAllThatLocksNeedPasses() {
		this.check.cycle(TIMEOUT);

		assertThat(this.backend.calls).allSatisfy((calls) -> assertThat(calls.get()).isPositive());
		assertThat(locks()).isEmpty();
	}

	@Test
	void checkIsRepeatable() {
		this.check.cycle(TIMEOUT);
		this.check.cycle(TIMEOUT);

		assertThat(locks()).isEmpty();
	}

	@Test
	void connectionCheckTakesNoLock() {
		this.check.connect(TIMEOUT);

		assertThat(this.backend.calls[Step.LOOK.ordinal()]).hasValue(1);
		assertThat(this.backend.calls[Step.TAKE.ordinal()]).hasValue(0);
	}

	@ParameterizedTest
	@EnumSource
	void refusedStepIsNamedAndLeavesNothing(Step step) {
		this.backend.fault(step, new LockRefusedException("the user 'app' may not do this", null));

		assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> this.check.cycle(TIMEOUT))
			.withMessage("It failed at " + step.description + ": the user 'app' may not do this");

		this.backend.fault(step, null);
		this.check.cycle(TIMEOUT);
		assertThat(locks()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void faultyStepIsNamed(Step step) {
		this.backend.fault(step, new IllegalStateException("connection reset"));

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.check.cycle(TIMEOUT))
			.isNotInstanceOf(LockRefusedException.class)
			.withMessage("It failed at " + step.description + ": connection reset");
	}

	@ParameterizedTest
	@EnumSource
	void silentStepIsNamed(Step step) {
		this.backend.silence(step);

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.check.cycle(Duration.ofMillis(50)))
			.withMessageStartingWith("It failed at " + step.description + ": ")
			.withMessageEndingWith("no answer within 50 ms");
	}

	@Test
	void quarantineIsReportedAsSuch() {
		QuarantineException quarantine = new QuarantineException("the store forgot its leases", Duration.ofSeconds(9));
		this.backend.fault(Step.TAKE, quarantine);

		assertThatExceptionOfType(QuarantineException.class).isThrownBy(() -> this.check.cycle(TIMEOUT))
			.isSameAs(quarantine);
	}

	@Test
	void storeThatGrantsALockTwiceDoesNotPass() {
		this.backend.grantTwice = true;

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.check.cycle(TIMEOUT))
			.withMessageStartingWith("It failed at asking for a lock that is taken: it answered Granted");
	}

	private List<LockInfo> locks() {
		return ListedLocks.all(this.backend).toCompletableFuture().join();
	}

	private enum Step {

		TAKE("taking a lock"), ASK("asking for a lock that is taken"), LISTEN("listening for releases"),
		LOOK("looking for the holder of a lock"), RENEW("renewing a lease"),
		RELEASE("releasing a lock that another contender waits for"), GIVE_UP("giving up an attempt");

		private final String description;

		Step(String description) {
			this.description = description;
		}

	}

	/**
	 * A store with one call that fails or is not answered.
	 */
	private static final class FaultyBackend extends DecoratedBackend {

		private final AtomicInteger[] calls = new AtomicInteger[Step.values().length];

		private volatile Step faulty;

		private volatile RuntimeException fault;

		private volatile boolean grantTwice;

		FaultyBackend(LocalLockBackend delegate) {
			super(delegate);
			for (Step step : Step.values()) {
				this.calls[step.ordinal()] = new AtomicInteger();
			}
		}

		void fault(Step step, RuntimeException exception) {
			this.faulty = (exception != null) ? step : null;
			this.fault = exception;
		}

		void silence(Step step) {
			this.faulty = step;
			this.fault = null;
		}

		private <T> CompletionStage<T> answer(Step step, Supplier<CompletionStage<T>> call) {
			this.calls[step.ordinal()].incrementAndGet();
			if (this.faulty != step) {
				return call.get();
			}
			RuntimeException exception = this.fault;
			return (exception != null) ? CompletableFuture.failedFuture(exception) : new CompletableFuture<>();
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			if (request.waiting() && this.grantTwice) {
				LeaseGrant grant = new LeaseGrant(target, request.ownerId(), new TokenRange(1, 1), Long.MAX_VALUE);
				return CompletableFuture.completedFuture(new AttemptOutcome.Granted(grant));
			}
			return answer(request.waiting() ? Step.ASK : Step.TAKE, () -> attempt.apply(request));
		}

		@Override
		public CompletionStage<Boolean> wakesContenders(LockTarget target) {
			return answer(Step.LISTEN, () -> super.wakesContenders(target));
		}

		@Override
		public CompletionStage<Optional<LockInfo>> find(String key) {
			return answer(Step.LOOK, () -> super.find(key));
		}

		@Override
		public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
			return answer(Step.RENEW, () -> super.renew(renewals));
		}

		@Override
		public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
			return answer(Step.RELEASE, () -> super.release(grant, cooldown));
		}

		@Override
		public CompletionStage<Void> abandon(List<Orphan> orphans) {
			// The clean-up after a fault is not refused.
			return (orphans.size() == 1 && this.faulty == Step.GIVE_UP)
					? answer(Step.GIVE_UP, () -> super.abandon(orphans)) : counted(orphans);
		}

		private CompletionStage<Void> counted(List<Orphan> orphans) {
			this.calls[Step.GIVE_UP.ordinal()].incrementAndGet();
			return super.abandon(orphans);
		}

	}

}
