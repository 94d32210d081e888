package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Contract for locking and unlocking, by one thread and by two.
 */
abstract class RegistryLockingContract extends RegistryContractPart {

	@ParameterizedTest
	@EnumSource
	void lockIsTakenUntilItIsUnlockedHoweverItWasLocked(Entry entry) throws Exception {
		String key = newKey();
		for (int i = 0; i < 3; i++) {
			DistributedLock lock = registry().obtain(key);

			assertThat(entry.into(lock)).isTrue();

			assertThat(isTaken(key)).isTrue();
			lock.unlock();
			assertThat(isTaken(key)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void lockIsEnteredAgainAndLeftAsOftenHoweverItWasLocked(Entry entry) throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		assertThat(entry.into(lock)).isTrue();
		for (Entry again : Entry.values()) {
			DistributedLock same = registry().obtain(key);
			assertThat(same).isSameAs(lock);

			assertThat(again.into(same)).isTrue();

			same.unlock();
			assertThat(isTaken(key)).isTrue();
		}
		lock.unlock();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void threadHoldsSeveralLocksAtOnce() throws Exception {
		String first = newKey();
		String second = newKey();
		registry().obtain(first).lock();
		registry().obtain(second).lockInterruptibly();

		assertThat(registry().obtain(first)).isNotEqualTo(registry().obtain(second));
		registry().obtain(first).unlock();

		assertThat(isTaken(first)).isFalse();
		assertThat(isTaken(second)).isTrue();
		registry().obtain(second).unlock();
	}

	@Test
	void locksOfEqualKeysAreEqualWithinARegistryAlone() {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);

		assertThat(registry().obtain(key)).isEqualTo(lock).hasSameHashCodeAs(lock);
		assertThat(there().registry().obtain(key)).isNotEqualTo(lock);
		lock.lock();
		assertThat(registry().obtain(key)).isEqualTo(lock);
		lock.unlock();
		assertThat(registry().obtain(key)).isEqualTo(lock);
	}

	@Test
	void secondThreadThatWaitedInVainHasNothingToUnlock() throws Exception {
		DistributedLock lock = registry().obtain(newKey());
		lock.lockInterruptibly();

		Future<Boolean> second = elsewhere(() -> {
			boolean locked = lock.tryLock(200, TimeUnit.MILLISECONDS);
			assertThatIllegalStateException().isThrownBy(lock::unlock).withMessageContaining("is not held");
			return locked;
		});

		assertThat(get(second)).isFalse();
		lock.unlock();
	}

	@Test
	void unlockByAnotherThreadIsRefusedAndChangesNothing() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();

		Future<?> other = elsewhere(() -> {
			lock.unlock();
			return true;
		});

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(other))
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(isTaken(key)).isTrue();
		lock.unlock();
	}

	@Test
	void interruptedThreadHoldsNothingAndBlocksNoOther() throws Exception {
		String key = newKey();
		DistributedLock lock = there().registry().obtain(key);
		lock.lock();
		CountDownLatch begun = new CountDownLatch(1);
		Thread[] waiting = new Thread[1];
		Future<Boolean> second = elsewhere(() -> {
			waiting[0] = Thread.currentThread();
			begun.countDown();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(registry().obtain(key)::lockInterruptibly);
			return Thread.interrupted();
		});
		await(begun);

		waiting[0].interrupt();

		assertThat(get(second)).isFalse();
		lock.unlock();
		assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
	}

	@Test
	void unlockByAnInterruptedThreadGivesTheLockBack() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();

		Thread.currentThread().interrupt();
		lock.unlock();

		assertThat(Thread.interrupted()).isTrue();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void lockIsThatOfTheTemplate() throws Exception {
		String key = newKey();

		there().template().executeWithoutResult(key, (lease) -> assertThat(registry().obtain(key).tryLock()).isFalse());

		assertThat(registry().obtain(key).tryLock()).isTrue();
		registry().obtain(key).unlock();
	}

	@Test
	void ttlOfTheCallIsThatOfTheLease() throws Exception {
		assumeThat(storeKnowsTheTtl()).isTrue();
		String key = newKey();
		DistributedLock lock = registry().obtain(key);

		lock.lock(Duration.ofMinutes(40));

		assertThat(there().locks().find(key).orElseThrow().remaining()).isBetween(Duration.ofMinutes(30),
				Duration.ofMinutes(40));
		lock.unlock();
		assertThat(lock.tryLock(Duration.ZERO, Duration.ofMinutes(20))).isTrue();
		assertThat(there().locks().find(key).orElseThrow().remaining()).isBetween(Duration.ofMinutes(10),
				Duration.ofMinutes(20));
		lock.unlock();
	}

	@Test
	void lockIsKeptBeyondItsTtl() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock(Duration.ofSeconds(3));

		Future<Boolean> other = elsewhere(() -> there().registry().obtain(key).tryLock(4, TimeUnit.SECONDS));

		assertThat(get(other)).isFalse();
		lock.unlock();
	}

	@Test
	void renewLockExtendsTheLease() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();

		registry().renewLock(key);
		registry().renewLock(key, Duration.ofMinutes(40));

		if (storeKnowsTheTtl()) {
			assertThat(there().locks().find(key).orElseThrow().remaining()).isGreaterThan(Duration.ofMinutes(30));
		}
		assertThat(isTaken(key)).isTrue();
		lock.unlock();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void renewLockOfWhoDoesNotHoldItIsRefused() throws Exception {
		String key = newKey();
		there().registry().obtain(key).lock();

		assertThatIllegalStateException().isThrownBy(() -> registry().renewLock(key));
		assertThatIllegalStateException().isThrownBy(() -> registry().renewLock(key, Duration.ofMinutes(1)));

		there().registry().obtain(key).unlock();
	}

	@Test
	void tryOfAnotherChangesNothing() throws Exception {
		assumeThat(storeKnowsTheTtl()).isTrue();
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock(Duration.ofMinutes(40));
		Duration before = there().locks().find(key).orElseThrow().remaining();

		assertThat(isTaken(key)).isTrue();

		// Stores count in milliseconds.
		assertThat(there().locks().find(key).orElseThrow().remaining()).isLessThanOrEqualTo(before.plusMillis(1));
		lock.unlock();
	}

	@Test
	void expiringUnusedLocksTouchesNoneThatIsHeld() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();

		registry().expireUnusedOlderThan(-1000);

		assertThat(isTaken(key)).isTrue();
		assertThat(registry().obtain(key)).isSameAs(lock);
		lock.unlock();
	}

	@Test
	void conditionsAreUnsupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(registry().obtain(newKey())::newCondition);
	}

}
