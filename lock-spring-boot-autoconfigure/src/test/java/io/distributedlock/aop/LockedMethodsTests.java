package io.distributedlock.aop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.OnBusy;
import io.distributedlock.OnLost;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods on a real engine, with a second client on the same store.
 */
class LockedMethodsTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final LockEngine engine = engine("first");

	private final LockEngine secondEngine = engine("second");

	private final DefaultLockTemplate second = new DefaultLockTemplate(this.secondEngine,
			new DefaultScopes(this.secondEngine, LeaseRetention.NONE));

	private final Service target = new Service(this::keysInStore);

	private final Service service = proxy();

	private LockEngine engine(String instance) {
		return new LockEngine(new LocalLockBackend(this.store, instance, this.clock), EngineSettings.DEFAULTS,
				this.clock, List.of(), List.of());
	}

	private Service proxy() {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("scopes", new DefaultScopes(this.engine, LeaseRetention.NONE));
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(beanFactory));
		Service proxy = (Service) factory.getProxy();
		this.target.self = proxy;
		return proxy;
	}

	private List<String> keysInStore() {
		BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
		});
		return ListedLocks.all(operator).toCompletableFuture().join().stream().map(LockInfo::key).sorted().toList();
	}

	@AfterEach
	void stop() {
		this.engine.stop();
		this.secondEngine.stop();
	}

	@Test
	void locksOutTheOthersWhileTheBodyRuns() {
		this.target.body = () -> assertThat(this.second.tryAcquire("order:1")).isEmpty();

		this.service.order(1);

		assertThat(this.target.bodies).isEqualTo(1);
		assertThat(this.second.tryAcquire("order:1")).isPresent();
	}

	@Test
	void runsOfASchedulerShareTheLockWithOtherInstances() {
		Lease reader = this.second.acquire(LockRequest.of("shared").shared());

		ScheduledRun.atTick(Instant.EPOCH).call(this.service::shared);
		ScheduledRun.atFixedRate(Duration.ofMinutes(1)).call(this.service::shared);
		ScheduledRun.withFixedDelay(Duration.ofMinutes(1)).call(this.service::shared);

		assertThat(this.target.bodies).isEqualTo(3);
		reader.release();
		assertThat(this.second.tryAcquire("shared")).isPresent();
	}

	@Test
	void aKeyThatStaysTakenThrowsWhenTheWaitIsOver() throws InterruptedException {
		this.second.acquire(LockRequest.of("order:1").ttl(Duration.ofHours(1)));
		AtomicReference<@Nullable Throwable> outcome = new AtomicReference<>();
		Thread waiter = new Thread(() -> outcome.set(catching(() -> this.service.order(1))));
		waiter.start();
		await()
			.until(() -> waiter.getState() == Thread.State.WAITING || waiter.getState() == Thread.State.TIMED_WAITING);

		await().until(() -> {
			this.clock.advance(Duration.ofSeconds(1));
			return !waiter.isAlive();
		});

		assertThat(outcome.get()).isInstanceOf(LockBusyException.class);
		assertThat(this.target.bodies).isZero();
	}

	private static @Nullable Throwable catching(Runnable call) {
		try {
			call.run();
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	@Test
	void anAttemptWithoutWaitingThrowsSkipsOrFallsBackAtOnce() {
		this.second.acquire("order:1");

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.service.withoutWaiting(1));
		assertThat(this.service.skipping(1)).isEmpty();
		assertThat(this.service.fallingBack(1)).isEqualTo("instead");
		assertThat(this.target.bodies).isZero();
	}

	@Test
	void anInterruptedWaitKeepsTheFlagAndLeavesNothingBehind() throws InterruptedException {
		Lease other = this.second.acquire("order:1");
		AtomicReference<@Nullable Throwable> outcome = new AtomicReference<>();
		AtomicReference<Boolean> flag = new AtomicReference<>();
		CountDownLatch done = new CountDownLatch(1);
		Thread waiter = new Thread(() -> {
			outcome.set(catching(() -> this.service.order(1)));
			flag.set(Thread.currentThread().isInterrupted());
			done.countDown();
		});
		waiter.start();
		await()
			.until(() -> waiter.getState() == Thread.State.WAITING || waiter.getState() == Thread.State.TIMED_WAITING);

		waiter.interrupt();
		done.await();

		assertThat(outcome.get()).isInstanceOf(LockInterruptedException.class);
		assertThat(flag.get()).isTrue();
		assertThat(this.target.bodies).isZero();
		other.release();
		assertThat(keysInStore()).isEmpty();
	}

	@Test
	void nestedKeysComeAndGoLikeTheirMethods() {
		this.target.failAt = 3;

		assertThatIllegalStateException().isThrownBy(() -> this.service.first());

		assertThat(this.target.seen).containsExactly(List.of("one"), List.of("one", "two"), List.of("one", "two"),
				List.of("one", "two"), List.of("one"));
		assertThat(keysInStore()).isEmpty();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void anInnerAcquisitionThatFailsLeavesTheOuterLock() {
		this.second.acquire("two");
		this.target.catchInner = true;

		this.service.first();

		assertThat(this.target.seen).containsExactly(List.of("one", "two"), List.of("one", "two"));
		assertThat(keysInStore()).containsExactly("two");
	}

	@Test
	void aNestedCallWithAShorterTtlDoesNotShortenTheLease() {
		this.service.longTtl();

		assertThat(this.target.remaining.get(1)).isEqualTo(this.target.remaining.get(0));
		assertThat(this.target.tokens.get(1)).isEqualTo(this.target.tokens.get(0));
	}

	@Test
	void severalKeysAreTakenTogether() {
		this.target.body = () -> assertThat(LockContext.current().keys()).containsExactly("a", "b");

		this.service.several(List.of("b", "a"));

		assertThat(this.target.bodies).isEqualTo(1);
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.service.several(List.of()))
			.withMessageContaining("no key at all");
	}

	@Test
	void aLeaseThatExpiresIsReported() {
		this.target.body = () -> this.clock.advance(Duration.ofSeconds(2));

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.service.runsOut());
		this.service.runsOutAndIgnores();

		assertThat(this.target.bodies).isEqualTo(2);
	}

	@Test
	void aLossInterruptsTheBody() {
		this.target.body = () -> {
			this.clock.advance(Duration.ofSeconds(2));
			this.target.waitForInterrupt();
		};

		assertThatIllegalStateException().isThrownBy(() -> this.service.runsOutAndIsInterrupted())
			.withCauseInstanceOf(InterruptedException.class)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	public static class Service {

		private final Supplier<List<String>> keysInStore;

		private final List<List<String>> seen = new ArrayList<>();

		private final List<Duration> remaining = new ArrayList<>();

		private final List<Long> tokens = new ArrayList<>();

		private @Nullable Service self;

		private Runnable body = () -> {
		};

		private int bodies;

		private int failAt;

		private boolean catchInner;

		Service(Supplier<List<String>> keysInStore) {
			this.keysInStore = keysInStore;
		}

		private void run() {
			this.bodies++;
			this.body.run();
		}

		private Service self() {
			return Objects.requireNonNull(this.self);
		}

		private void look() {
			this.seen.add(this.keysInStore.get());
		}

		@DistributedLock(name = "order", key = "#id")
		public void order(long id) {
			run();
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "0s")
		public void withoutWaiting(long id) {
			run();
		}

		@DistributedLock(name = "order", key = "#id", onBusy = OnBusy.SKIP)
		public Optional<String> skipping(long id) {
			run();
			return Optional.of("body");
		}

		@DistributedLock(name = "order", key = "#id", waitTime = "0s", fallback = "instead")
		public String fallingBack(long id) {
			run();
			return "body";
		}

		private String instead(long id) {
			return "instead";
		}

		@DistributedLock("#keys")
		public void several(List<String> keys) {
			run();
		}

		@DistributedLock(name = "one")
		public void first() {
			look();
			this.bodies++;
			if (this.bodies == this.failAt) {
				throw new IllegalStateException("innermost");
			}
			try {
				if (this.bodies == 1 || this.failAt > 0) {
					self().second();
				}
			}
			catch (LockBusyException ex) {
				if (!this.catchInner) {
					throw ex;
				}
			}
			finally {
				look();
			}
		}

		@DistributedLock(name = "two", waitTime = "0s")
		public void second() {
			this.bodies++;
			look();
			try {
				self().first();
			}
			finally {
				look();
			}
		}

		@Scheduled(fixedDelay = 60_000)
		@DistributedLock(name = "shared", mode = LockMode.SHARED)
		public void shared() {
			run();
		}

		@DistributedLock(name = "ttl", ttl = "30s")
		public void longTtl() {
			note();
			self().shortTtl();
		}

		@DistributedLock(name = "ttl", ttl = "1s")
		public void shortTtl() {
			note();
		}

		private void note() {
			this.remaining.add(LockContext.current().remaining());
			this.tokens.add(LockContext.current().fencingToken());
		}

		@DistributedLock(renew = false, ttl = "1s")
		public void runsOut() {
			run();
		}

		@DistributedLock(renew = false, ttl = "1s", onLost = OnLost.IGNORE)
		public void runsOutAndIgnores() {
			run();
		}

		@DistributedLock(renew = false, ttl = "1s", onLost = OnLost.INTERRUPT)
		public void runsOutAndIsInterrupted() {
			run();
		}

		void waitForInterrupt() {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("interrupted", ex);
			}
		}

	}

}
