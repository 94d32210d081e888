package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.QuarantineException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockEngineLifecycle}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockEngineLifecycleTests {

	private final LocalStore store = new LocalStore(new SystemLockClock());

	private final CutOffBackend backend = new CutOffBackend(client());

	private final List<String> events = new ArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean("backend", LockBackend.class, () -> this.backend);

	private LockBackend client() {
		return new LocalLockBackend(this.store, "test", new SystemLockClock());
	}

	private BackendConnection store() {
		return client().connect((ownerId) -> {
		});
	}

	@Test
	void leasesAreReleasedWhenTheContextCloses() {
		this.runner.run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("k");

			context.close();

			assertThat(lease.isHeld()).isFalse();
			this.runner.run((next) -> assertThat(next.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
		});
	}

	@Test
	void leaseIsReleasedHoweverSoonTheContextStopsAfterItsAcquisition() {
		this.runner.withPropertyValues("lock.backend=elsewhere")
			.withBean("elsewhere", LockBackend.class, AnsweringElsewhere::new)
			.run((context) -> {
				LockEngine engine = context.getBean(LockEngine.class);
				LockTemplate template = context.getBean(LockTemplate.class);

				for (int round = 0; round < 300; round++) {
					template.acquire("k");
					engine.stop();

					assertThat(store().find("k").toCompletableFuture().join()).as("round %d", round).isEmpty();
					engine.start();
				}
			});
	}

	@Test
	void requestsAreRefusedAfterTheContextHasClosed() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);

			context.close();

			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
				.withMessageContaining("stopped");
		});
	}

	@Test
	void contextThatWasPausedAndResumedStillLocks() {
		this.runner.run((context) -> {
			ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
			Lease lease = context.getBean(LockTemplate.class).acquire("k");

			configurable.pause();
			boolean heldWhilePaused = lease.isHeld();
			configurable.restart();

			assertThat(heldWhilePaused).isFalse();
			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	@Test
	void contextThatWasStoppedAndStartedStillLocks() {
		this.runner.run((context) -> {
			ConfigurableApplicationContext configurable = context.getSourceApplicationContext();

			configurable.stop();
			configurable.start();

			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	@Test
	void engineStartsAfterConnectionsAndStopsBeforeThem() {
		this.runner.withBean("connections", Phase.class, () -> new Phase("connections", 0))
			.withBean("executor", Phase.class, () -> new Phase("executor", Integer.MAX_VALUE))
			.withBean("leader", Phase.class, () -> new Phase("leader", Integer.MAX_VALUE - 1000))
			.withPropertyValues("lock.backend=startedBackend")
			.withBean("startedBackend", LockBackend.class, StartedBackend::new)
			.run((context) -> {
				assertThat(this.events).containsExactly("start connections", "start locks", "start leader",
						"start executor");
				this.events.clear();

				context.close();

				assertThat(this.events).containsExactly("stop executor", "stop leader", "stop locks",
						"stop connections");
			});
	}

	@Test
	void engineOfAContextThatFailsToStartIsStopped() {
		this.runner.withPropertyValues("lock.backend=startedBackend")
			.withBean("startedBackend", LockBackend.class, StartedBackend::new)
			.withInitializer((context) -> context.addApplicationListener((event) -> {
				if (event instanceof ContextRefreshedEvent) {
					throw new IllegalStateException("Refused");
				}
			}))
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(this.events).containsExactly("start locks", "stop locks");
			});
	}

	@Test
	void storeThatCanNotBeAskedEndsTheStart() {
		this.backend.setCutOff(true);
		this.runner.withPropertyValues("lock.startup-timeout=1s").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).isEqualTo(
					"The store 'backend' can't keep the locks:" + " It failed at taking a lock: The client is cut off");
			assertThat(analysis.getAction())
				.isEqualTo("Make the store ready, or set 'lock.fail-fast=false' to start without it;"
						+ " locks are unavailable until it is. 'lock.startup-timeout' says how long a start"
						+ " waits for a store.");
		});
	}

	@Test
	void storeThatNeedsSomeTimeDoesNotEndTheStart(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=slow")
			.withBean("slow", LockBackend.class,
					() -> new AskedBackend(client(),
							(calls) -> (calls > 4) ? null : new LockUnavailableException("It starts yet")))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output)
					.containsOnlyOnce("The store 'slow' is not ready for locks yet; waiting for up to 30 s more")
					.contains("It failed at taking a lock: It starts yet")
					.contains("The store 'slow' is ready for locks");
			});
	}

	@Test
	void timeForTheStartIsNotThatOfACall() {
		this.runner
			.withPropertyValues("lock.backend=slow", "lock.ttl=100ms", "lock.call-timeout=10ms",
					"lock.startup-timeout=60s")
			.withBean("slow", LockBackend.class, () -> new AskedBackend(client(), (calls) -> null) {

				@Override
				protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
						Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
					return super.attempt(target, request, attempt).thenApplyAsync((outcome) -> outcome,
							CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
				}

			})
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void refusalForGoodEndsTheStartAtOnceAndNamesWhatIsMissing() {
		AskedBackend refusing = new AskedBackend(client(),
				(calls) -> new LockRefusedException("The user 'app' may not run 'evalsha'", null));
		this.runner.withPropertyValues("lock.backend=refusing", "lock.startup-timeout=1h")
			.withBean("refusing", LockBackend.class, () -> refusing)
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).isEqualTo("The store 'refusing' can't keep the locks:"
						+ " It failed at taking a lock: The user 'app' may not run 'evalsha'");
				assertThat(analysis.getAction()).contains("'lock.startup-check=connect'");
				assertThat(refusing.attempts).hasValue(1);
			});
	}

	@Test
	void storeInQuarantineDoesNotEndTheStart(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=quarantined", "lock.startup-timeout=1h")
			.withBean("quarantined", LockBackend.class,
					() -> new AskedBackend(client(),
							(calls) -> new QuarantineException("It has forgotten its leases", Duration.ofSeconds(30))))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains(
						"The store 'quarantined' is there, but grants no locks for up to PT30S: It has forgotten its leases");
			});
	}

	@Test
	void connectionCheckTakesNoLock() {
		AskedBackend refusing = new AskedBackend(client(), (calls) -> new LockRefusedException("No", null));
		this.runner.withPropertyValues("lock.backend=refusing", "lock.startup-check=connect")
			.withBean("refusing", LockBackend.class, () -> refusing)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(refusing.attempts).hasValue(0);
			});
	}

	@Test
	void withoutCheckTheStoreIsNotAsked() {
		this.backend.setCutOff(true);
		this.runner.withPropertyValues("lock.startup-check=none").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void checkLeavesNoLock() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(ListedLocks.all(store()).toCompletableFuture().join()).isEmpty();
		});
	}

	@Test
	void withoutFailFastARefusalIsLogged(CapturedOutput output) {
		this.runner.withPropertyValues("lock.backend=refusing", "lock.fail-fast=false")
			.withBean("refusing", LockBackend.class,
					() -> new AskedBackend(client(), (calls) -> new LockRefusedException("No right", null)))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				await().untilAsserted(() -> assertThat(output)
					.contains("The store 'refusing' can't keep the locks yet; they are unavailable until it can:"
							+ " It failed at taking a lock: No right"));
			});
	}

	@Test
	void withoutFailFastLocksAreThereWhenTheStoreIs() {
		this.backend.setCutOff(true);
		this.runner.withPropertyValues("lock.fail-fast=false").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"));

			this.backend.setCutOff(false);

			assertThat(template.tryAcquire("k")).isPresent();
		});
	}

	@Test
	void withoutFailFastAStoreThatCanNotBeOpenedIsOpenedByTheFirstLock() {
		UnreadyBackend unready = new UnreadyBackend();
		this.runner.withPropertyValues("lock.fail-fast=false", "lock.backend=unready")
			.withBean("unready", LockBackend.class, () -> unready)
			.run((context) -> {
				assertThat(context.getBean(LockEngine.class).isRunning()).isFalse();

				unready.ready = true;

				assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
			});
	}

	/**
	 * A store whose attempts fail as the test specifies.
	 */
	private static class AskedBackend extends DecoratedBackend {

		private final AtomicInteger attempts = new AtomicInteger();

		private final IntFunction<LockException> fault;

		AskedBackend(LockBackend delegate, IntFunction<LockException> fault) {
			super(delegate);
			this.fault = fault;
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			LockException exception = this.fault.apply(this.attempts.incrementAndGet());
			return (exception != null)
					? CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(exception, false))
					: super.attempt(target, request, attempt);
		}

	}

	/**
	 * A bean that is started and stopped with the context.
	 */
	private final class Phase implements SmartLifecycle {

		private final String name;

		private final int phase;

		private boolean running;

		Phase(String name, int phase) {
			this.name = name;
			this.phase = phase;
		}

		@Override
		public void start() {
			this.running = true;
			LockEngineLifecycleTests.this.events.add("start " + this.name);
		}

		@Override
		public void stop() {
			this.running = false;
			LockEngineLifecycleTests.this.events.add("stop " + this.name);
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

	/**
	 * Records when it is opened and closed.
	 */
	private final class StartedBackend extends CutOffBackend {

		StartedBackend() {
			super(client());
		}

		@Override
		public BackendConnection connect(BackendListener listener) {
			LockEngineLifecycleTests.this.events.add("start locks");
			return super.connect(listener);
		}

		@Override
		public void close() {
			// The container also closes beans that can be closed.
			if (isConnected()) {
				LockEngineLifecycleTests.this.events.add("stop locks");
			}
			super.close();
		}

	}

	/**
	 * Answers attempts on threads of its own, like stores on a network.
	 */
	private final class AnsweringElsewhere extends CutOffBackend {

		AnsweringElsewhere() {
			super(client());
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return CompletableFuture.supplyAsync(() -> attempt.apply(request).toCompletableFuture().join());
		}

	}

	/**
	 * Can't be opened at first.
	 */
	private final class UnreadyBackend extends CutOffBackend {

		private boolean ready;

		UnreadyBackend() {
			super(client());
		}

		@Override
		public BackendConnection connect(BackendListener listener) {
			if (!this.ready) {
				throw new LockUnavailableException("Not yet");
			}
			return super.connect(listener);
		}

	}

}
