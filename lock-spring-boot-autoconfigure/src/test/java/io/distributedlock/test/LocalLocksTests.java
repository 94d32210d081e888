package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.LossReason;
import io.distributedlock.OnLost;
import io.distributedlock.autoconfigure.LockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LocalLocks}, in an application.
 */
class LocalLocksTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(Orders.class)
		.withPropertyValues("lock.backend=local", "lock.wait-time=0s");

	@Test
	void keyThatIsHeldIsBusyForTheApplicationUntilTheHoldIsClosed() {
		run((template, locals, orders) -> {
			try (LocalLocks.Hold hold = locals.hold("order:1")) {
				assertThat(hold.key()).isEqualTo("order:1");
				assertThat(hold.isHeld()).isTrue();
				assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> orders.ship(1, () -> {
				}));
				assertThat(template.tryAcquire("order:2")).isPresent();
			}

			orders.ship(1, () -> {
			});
			assertThat(orders.shipped()).containsExactly(1L);
		});
	}

	@Test
	void otherInstanceIsShownAsTheHolder() {
		this.runner.run((context) -> {
			LocalLocks.Hold hold = context.getBean(LocalLocks.class).hold("order:1");

			assertThat(context.getBean(Locks.class).find("order:1")).hasValueSatisfying((info) -> {
				assertThat(info.instance()).isEqualTo("another instance");
				assertThat(info.fencingToken()).isEqualTo(hold.fencingToken());
			});
		});
	}

	@Test
	void waiterOfTheApplicationHasTheLockWhenTheHoldIsClosed() {
		run((template, locals, orders) -> {
			LocalLocks.Hold hold = locals.hold("order:1");
			assertThat(locals.isWaitedFor("order:1")).isFalse();
			CompletableFuture<Long> token = CompletableFuture.supplyAsync(() -> template
				.execute(LockRequest.of("order:1").waitTime(Duration.ofMinutes(1)), Lease::fencingToken));

			await().until(() -> locals.isWaitedFor("order:1"));
			assertThat(token).isNotDone();
			hold.close();

			await()
				.untilAsserted(() -> assertThat(token).isCompletedWithValueMatching((it) -> it > hold.fencingToken()));
			assertThat(locals.isWaitedFor("order:1")).isFalse();
		});
	}

	@Test
	void leaseThatExpiresIsLostWithAllThatFollows() {
		run((template, locals, orders) -> {
			Lease lease = template.acquire("order:1");
			CompletableFuture<Lease> told = new CompletableFuture<>();
			lease.onLost(told::complete);

			assertThat(locals.expire("order:1")).isTrue();

			assertThat(lease.isHeld()).isFalse();
			assertThat(lease.remaining()).isZero();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED));
			await().untilAsserted(() -> assertThat(told).isCompletedWithValue(lease));
			await().untilAsserted(() -> assertThat(orders.losses()).extracting(LeaseLostEvent::reason)
				.containsExactly(LossReason.EXPIRED));
			assertThat(lease.release()).isFalse();
			assertThat(template.acquire("order:1").fencingToken()).isGreaterThan(lease.fencingToken());
		});
	}

	@Test
	void bodyWhoseLeaseExpiresIsNotified() {
		run((template, locals, orders) -> {
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> orders.ship(1, () -> locals.expire("order:1")));

			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> orders.shipInterruptibly(2, () -> {
				locals.expire("order:2");
				new CountDownLatch(1).await();
			}));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void nextHolderIsUnharmedByTheOneWhoseLeaseExpired() {
		run((template, locals, orders) -> {
			Lease stalled = template.acquire("order:1");
			locals.expire("order:1");
			try (LocalLocks.Hold next = locals.hold("order:1")) {
				assertThat(next.fencingToken()).isGreaterThan(stalled.fencingToken());

				assertThat(stalled.release()).isFalse();

				assertThat(next.isHeld()).isTrue();
				assertThat(template.tryAcquire("order:1")).isEmpty();
			}
		});
	}

	@Test
	void leaseThatIsTakenAwayIsLostAtOnce() {
		run((template, locals, orders) -> {
			Lease lease = template.acquire("order:1");

			assertThat(locals.takeAway("order:1")).isTrue();

			assertThat(lease.isHeld()).isFalse();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.TAKEN));
			await().untilAsserted(() -> assertThat(orders.losses()).extracting(LeaseLostEvent::reason)
				.containsExactly(LossReason.TAKEN));
		});
	}

	@Test
	void holdCanExpireAndBeTakenAwayToo() {
		run((template, locals, orders) -> {
			LocalLocks.Hold expiring = locals.hold("order:1");
			LocalLocks.Hold taken = locals.hold("order:2");

			assertThat(locals.expire("order:1")).isTrue();
			assertThat(locals.takeAway("order:2")).isTrue();
			Lease one = template.acquire("order:1");
			Lease two = template.acquire("order:2");
			expiring.close();
			taken.close();

			assertThat(expiring.isHeld()).isFalse();
			assertThat(taken.isHeld()).isFalse();
			assertThat(one.release()).isTrue();
			assertThat(two.release()).isTrue();
		});
	}

	@Test
	void nothingHappensToKeysThatAreNotHeld() {
		run((template, locals, orders) -> {
			assertThat(locals.expire("order:1")).isFalse();
			assertThat(locals.takeAway("order:1")).isFalse();
			assertThat(locals.isWaitedFor("order:1")).isFalse();
		});
	}

	@Test
	void keyThatIsNotFreeOrNotValidIsNotHeld() {
		run((template, locals, orders) -> {
			Lease lease = template.acquire("order:1");

			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> locals.hold("order:1"))
				.withMessageContaining("order:1");
			assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> locals.hold(" "));
			assertThat(lease.isHeld()).isTrue();
		});
	}

	@Test
	void sharedHoldKeepsOutWritersOnly() {
		run((template, locals, orders) -> {
			LocalLocks.Hold reader = locals.hold(LockRequest.of("order:1").shared());

			assertThat(template.tryAcquire("order:1")).isEmpty();
			Lease shared = template.acquire(LockRequest.of("order:1").shared());
			reader.close();
			assertThat(template.tryAcquire("order:1")).isEmpty();
			shared.release();
			assertThat(template.tryAcquire("order:1")).isPresent();
		});
	}

	@Test
	void holdWithPermitsTakesOneOfThem() {
		run((template, locals, orders) -> {
			LockRequest two = LockRequest.of("order:1").permits(2);
			LocalLocks.Hold hold = locals.hold(two);
			Lease lease = template.acquire(two);

			assertThat(template.tryAcquire(two)).isEmpty();
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> locals.hold(two));
			hold.close();

			assertThat(template.tryAcquire(two)).isPresent();
			assertThat(lease.isHeld()).isTrue();
		});
	}

	@Test
	void allHoldersOfASharedKeyLoseItWhenItExpiresOrIsTakenAway() {
		run((template, locals, orders) -> {
			LockRequest shared = LockRequest.of("order:1").shared();
			LocalLocks.Hold hold = locals.hold(shared);
			Lease expiring = template.acquire(shared);

			assertThat(locals.expire("order:1")).isTrue();

			assertThat(hold.isHeld()).isFalse();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(expiring::verify)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED));
			LocalLocks.Hold next = locals.hold(shared);
			Lease taken = template.acquire(shared);

			assertThat(locals.takeAway("order:1")).isTrue();

			assertThat(next.isHeld()).isFalse();
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(taken::close)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.TAKEN));
			assertThat(template.tryAcquire("order:1")).isPresent();
		});
	}

	@Test
	void storeThatIsUnavailableRefusesAndIsThereAgain() {
		run((template, locals, orders) -> {
			Lease lease = template.acquire("order:1");
			try (LocalLocks.Outage outer = locals.makeUnavailable();
					LocalLocks.Outage inner = locals.makeUnavailable()) {
				inner.close();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("order:2"));
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lease::verify);
				assertThat(lease.isHeld()).isTrue();
				assertThat(locals.hold("order:3").isHeld()).isTrue();
			}

			assertThat(template.tryAcquire("order:2")).isPresent();
			assertThat(template.tryAcquire("order:3")).isEmpty();
			lease.verify();
			assertThat(lease.release()).isTrue();
		});
	}

	@Test
	void leaseIsLostToAnOutageThatOutlastsItsTtl() {
		run((template, locals, orders) -> {
			Lease lease = template.acquire(LockRequest.of("order:1").ttl(Duration.ofMillis(200)));
			locals.makeUnavailable();

			await().until(() -> !lease.isHeld());
			await().untilAsserted(() -> assertThat(orders.losses()).extracting(LeaseLostEvent::reason)
				.containsExactly(LossReason.EXPIRED));
			locals.reset();

			assertThat(lease.release()).isFalse();
			await().until(() -> template.tryAcquire("order:1").isPresent());
		});
	}

	@Test
	void resetEndsHoldsAndOutages() {
		run((template, locals, orders) -> {
			LocalLocks.Hold hold = locals.hold("order:1");
			Lease lease = template.acquire("order:2");
			locals.makeUnavailable();
			locals.makeUnavailable();

			locals.reset();

			assertThat(hold.isHeld()).isFalse();
			assertThat(lease.isHeld()).isTrue();
			assertThat(template.tryAcquire("order:1")).isPresent();
		});
	}

	@Test
	void threadsThatHoldExpireAndTakeAwayNeverHaveAKeyTogether() {
		run((template, locals, orders) -> {
			ExecutorService threads = Executors.newFixedThreadPool(4);
			AtomicInteger turns = new AtomicInteger();
			try {
				List<Callable<Long>> tasks = new ArrayList<>();
				for (int i = 0; i < 4; i++) {
					int thread = i;
					tasks.add(() -> {
						long last = 0;
						for (int turn = 0; turn < 500; turn++) {
							last = Math.max(last, turn(locals, thread + turn, turns));
						}
						return last;
					});
				}
				for (Future<Long> task : threads.invokeAll(tasks)) {
					task.get();
				}
			}
			finally {
				threads.shutdownNow();
			}

			assertThat(turns).hasPositiveValue();
			assertThat(template.tryAcquire("order:1")).isPresent();
		});
	}

	private static long turn(LocalLocks locals, int kind, AtomicInteger turns) {
		try (LocalLocks.Hold hold = locals.hold("order:1")) {
			turns.incrementAndGet();
			boolean ended = switch (kind % 3) {
				case 0 -> locals.expire("order:1");
				case 1 -> locals.takeAway("order:1");
				default -> false;
			};
			assertThat(ended && hold.isHeld()).isFalse();
			return hold.fencingToken();
		}
		catch (LockBusyException ex) {
			return 0;
		}
	}

	@Test
	void isThereOnlyWithTheLocalStore() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocalLocks.class));
	}

	private void run(Scenario scenario) {
		this.runner.run((context) -> scenario.run(context.getBean(LockTemplate.class),
				context.getBean(LocalLocks.class), context.getBean(Orders.class)));
	}

	@FunctionalInterface
	private interface Scenario {

		void run(LockTemplate template, LocalLocks locals, Orders orders) throws Exception;

	}

	@FunctionalInterface
	interface Step {

		void run() throws InterruptedException;

	}

	static class Orders {

		private final List<Long> shipped = new ArrayList<>();

		private final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		@DistributedLock(name = "order", key = "#id")
		void ship(long id, Step step) throws InterruptedException {
			step.run();
			this.shipped.add(id);
		}

		@DistributedLock(name = "order", key = "#id", onLost = OnLost.INTERRUPT)
		void shipInterruptibly(long id, Step step) throws InterruptedException {
			step.run();
		}

		List<Long> shipped() {
			return this.shipped;
		}

		List<LeaseLostEvent> losses() {
			return this.losses;
		}

		@EventListener
		void lost(LeaseLostEvent event) {
			this.losses.add(event);
		}

	}

}
