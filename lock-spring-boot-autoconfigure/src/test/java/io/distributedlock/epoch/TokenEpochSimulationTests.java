package io.distributedlock.epoch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets instances with several epochs start, crash, lose their connection and stand still
 * at random, while requests and answers are under way for seconds. The tokens that one
 * store grants for a key must never go down.
 */
class TokenEpochSimulationTests {

	private static final int RUNS = Integer.getInteger("lock.test.epoch-runs", 400);

	private static final Duration LENGTH = Duration.ofMinutes(10);

	private static final long FIRST_SEED = 20260505;

	@Test
	void tokensOfAStoreNeverGoDown() {
		int severalEpochs = 0;
		int refusals = 0;
		for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
			Run run = new Run(seed, TokenEpochCheck.WAIT);
			run.play();

			assertThat(run.tokensInOrderOfGrants()).as("tokens with seed %s", seed).isSorted();
			assertThat(run.isGreatestEpochServedInTheEnd()).as("the epoch at the end with seed %s", seed).isTrue();
			severalEpochs += (run.epochs() > 1) ? 1 : 0;
			refusals += run.refusals;
		}
		assertThat(severalEpochs).as("runs in which the epoch was raised").isGreaterThan(RUNS / 4);
		assertThat(refusals).as("refused instances").isGreaterThan(RUNS / 4);
	}

	@Test
	void tokensGoDownWithoutTheWait() {
		boolean found = false;
		for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS && !found; seed++) {
			Run run = new Run(seed, Duration.ZERO);
			run.play();
			List<Long> tokens = run.tokensInOrderOfGrants();
			found = !tokens.equals(tokens.stream().sorted().toList());
		}
		assertThat(found).as("whether the simulation finds a protocol that does not wait").isTrue();
	}

	/**
	 * One history.
	 */
	private static final class Run {

		private final VirtualLockClock clock = new VirtualLockClock();

		private final LocalStore store = new LocalStore(this.clock);

		private final Random random;

		private final Duration wait;

		private final List<Long> tokens = new ArrayList<>();

		private final List<EpochInstance> alive = new ArrayList<>();

		private final List<Integer> epochsOfInstances = new ArrayList<>();

		private int refusals;

		private int greatest;

		Run(long seed, Duration wait) {
			this.random = new Random(seed);
			this.wait = wait;
		}

		void play() {
			int instances = 2 + this.random.nextInt(5);
			// Either many instances meet at a new store, or the others start much later.
			Duration arrival = this.random.nextBoolean() ? Duration.ofSeconds(15) : LENGTH.dividedBy(2);
			for (int index = 0; index < instances; index++) {
				int epoch = this.random.nextInt(4);
				this.clock.schedule(upTo(arrival), () -> disturb(begin(epoch)));
			}
			this.clock.advance(LENGTH);
			this.greatest = this.epochsOfInstances.stream().mapToInt(Integer::intValue).max().orElseThrow();
			begin(this.greatest);
			this.clock.advance(Duration.ofMinutes(5));
		}

		private EpochInstance begin(int epoch) {
			LocalLockBackend client = new LocalLockBackend(this.store, "test", this.clock);
			EpochInstance instance = new EpochInstance(this.clock, new SlowNetwork(client), epoch, this.wait);
			this.alive.add(instance);
			this.epochsOfInstances.add(epoch);
			work(instance);
			return instance;
		}

		private void disturb(EpochInstance instance) {
			if (this.random.nextInt(3) == 0) {
				this.clock.schedule(upTo(LENGTH.dividedBy(2)), () -> {
					this.alive.remove(instance);
					instance.connection().setCutOff(true);
				});
			}
			if (this.random.nextInt(3) == 0) {
				this.clock.schedule(upTo(LENGTH.dividedBy(2)), () -> fallSilent(instance));
			}
		}

		/**
		 * Cut off or suspend an instance, or both, for up to two minutes.
		 */
		private void fallSilent(EpochInstance instance) {
			Duration silence = upTo(Duration.ofMinutes(2));
			boolean suspended = this.random.nextBoolean();
			instance.connection().setCutOff(true);
			this.clock.schedule(silence, () -> {
				if (suspended) {
					instance.suspended(silence);
				}
				instance.connection().setCutOff(!this.alive.contains(instance));
			});
		}

		private void work(EpochInstance instance) {
			if (!this.alive.contains(instance)) {
				return;
			}
			instance.send("order:42").whenComplete((outcome, failure) -> {
				if (outcome instanceof AttemptOutcome.Granted granted) {
					LeaseGrant grant = granted.grant();
					this.tokens.add(grant.token().first());
					this.clock.schedule(upTo(Duration.ofMillis(500)),
							() -> instance.store().release(grant, Duration.ZERO));
				}
				if (outcome instanceof AttemptOutcome.Unavailable unavailable
						&& unavailable.cause() instanceof TokenEpochException) {
					this.refusals++;
					this.alive.remove(instance);
				}
				this.clock.schedule(upTo(Duration.ofSeconds((this.random.nextInt(8) == 0) ? 90 : 4)),
						() -> work(instance));
			});
		}

		private Duration upTo(Duration most) {
			return Duration.ofMillis(1 + this.random.nextInt((int) most.toMillis()));
		}

		/**
		 * Return the tokens of the instances in the order in which the store granted
		 * them, that is, of its own numbers.
		 */
		List<Long> tokensInOrderOfGrants() {
			return this.tokens.stream().sorted(Comparator.comparing((token) -> token & ((1L << 56) - 1))).toList();
		}

		int epochs() {
			return new TreeSet<>(this.tokens.stream().map(EpochInstance::epochOf).toList()).size();
		}

		/**
		 * Return whether an instance with the greatest epoch was granted locks in the
		 * end.
		 */
		boolean isGreatestEpochServedInTheEnd() {
			return EpochInstance.epochOf(this.tokens.get(this.tokens.size() - 1)) == this.greatest;
		}

		/**
		 * A client with slow requests and answers, which sometimes take much longer than
		 * any caller waits.
		 */
		private final class SlowNetwork extends DecoratedBackend {

			SlowNetwork(LockBackend delegate) {
				super(delegate);
			}

			private Duration delay() {
				int kind = Run.this.random.nextInt(50);
				return upTo((kind == 0) ? Duration.ofSeconds(20) : Duration.ofMillis((kind < 10) ? 900 : 30));
			}

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				CompletableFuture<AttemptOutcome> answer = new CompletableFuture<>();
				Run.this.clock.schedule(delay(), () -> attempt.apply(request)
					.thenAccept((outcome) -> Run.this.clock.schedule(delay(), () -> arrive(answer, outcome))));
				Run.this.clock.schedule(request.timeout(),
						() -> answer.complete(new AttemptOutcome.Unavailable(new IllegalStateException("late"), true)));
				return answer;
			}

			/**
			 * Deliver an answer. A grant that is no longer waited for goes back, as with
			 * the engine.
			 */
			private void arrive(CompletableFuture<AttemptOutcome> answer, AttemptOutcome outcome) {
				if (!answer.complete(outcome) && outcome instanceof AttemptOutcome.Granted granted) {
					super.release(granted.grant(), Duration.ZERO);
				}
			}

		}

	}

}
