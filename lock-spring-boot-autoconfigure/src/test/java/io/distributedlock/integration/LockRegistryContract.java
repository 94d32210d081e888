package io.distributedlock.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of a registry of Spring Integration, on any store. It requires as much as the
 * tests of Spring Integration's own registries for Redis, databases and ZooKeeper. If
 * those differ or are lenient, this registry follows its documentation: a fault of the
 * store is not reported as a busy lock, and a loss is reported once.
 * <p>
 * {@code -Dlock.test.rounds} sets how often races are repeated.
 *
 * @since 0.1.0
 */
public abstract class LockRegistryContract extends RegistryFlowContract {

	private static final int THREADS = 8;

	@Test
	void secondClientWaitsForTheFirst() throws Exception {
		String key = newKey();
		for (int i = 0; i < rounds(); i++) {
			List<Integer> order = new ArrayList<>();
			CountDownLatch begun = new CountDownLatch(1);
			DistributedLock lock = registry().obtain(key);
			lock.lockInterruptibly();
			Future<Boolean> second = elsewhere(() -> {
				DistributedLock theirs = there().registry().obtain(key);
				begun.countDown();
				theirs.lockInterruptibly();
				order.add(2);
				theirs.unlock();
				return true;
			});
			await(begun);

			order.add(1);
			lock.unlock();

			assertThat(get(second)).isTrue();
			assertThat(order).containsExactly(1, 2);
		}
	}

	@Test
	void clientsThatLockAtOnceBothGetTheirTurn() throws Exception {
		String key = newKey();
		for (int i = 0; i < rounds(); i++) {
			Future<Boolean> here = elsewhere(() -> lockAndUnlock(registry(), key));
			Future<Boolean> there = elsewhere(() -> lockAndUnlock(there().registry(), key));

			assertThat(get(here)).isTrue();
			assertThat(get(there)).isTrue();
		}
	}

	@Test
	void manyThreadsOfTwoClientsAreUnderOneLockOneAfterTheOther() throws Exception {
		String key = newKey();
		int[] count = new int[1];
		int times = 2 * rounds();

		List<Future<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			LeaseLockRegistry registry = ((i % 2 == 0) ? here() : there()).registry();
			threads.add(elsewhere(() -> {
				for (int j = 0; j < times; j++) {
					DistributedLock lock = registry.obtain(key);
					assertThat(lock.tryLock(60, TimeUnit.SECONDS)).isTrue();
					count[0]++;
					lock.unlock();
				}
				return true;
			}));
		}

		for (Future<Boolean> thread : threads) {
			assertThat(get(thread)).isTrue();
		}
		assertThat(count[0]).isEqualTo(THREADS * times);
	}

	@Test
	void manyKeysLeaveNothingBehind() throws Exception {
		String prefix = newKey();

		List<Future<Boolean>> keys = IntStream.range(0, 10 * rounds())
			.mapToObj((i) -> elsewhere(() -> lockAndUnlock(registry(), prefix + i)))
			.toList();

		for (Future<Boolean> key : keys) {
			assertThat(get(key)).isTrue();
		}
		registry().expireUnusedOlderThan(0);
		assertThat(here().locks().list().filter((lock) -> lock.key().startsWith(prefix))).isEmpty();
	}

	@Test
	void threadsThatExpireAndObtainTheSameLockAtOnceShareIt() throws Exception {
		for (int i = 0; i < rounds(); i++) {
			String key = newKey();
			CountDownLatch begin = new CountDownLatch(1);
			List<Future<DistributedLock>> locks = IntStream.range(0, 2).mapToObj((thread) -> elsewhere(() -> {
				await(begin);
				registry().expireUnusedOlderThan(10_000);
				DistributedLock lock = registry().obtain(key);
				assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
				lock.unlock();
				return lock;
			})).toList();

			begin.countDown();

			assertThat(get(locks.get(0))).isEqualTo(get(locks.get(1)));
		}
	}

	private static boolean lockAndUnlock(LeaseLockRegistry registry, String key) throws InterruptedException {
		DistributedLock lock = registry.obtain(key);
		lock.lockInterruptibly();
		lock.unlock();
		return true;
	}

}
