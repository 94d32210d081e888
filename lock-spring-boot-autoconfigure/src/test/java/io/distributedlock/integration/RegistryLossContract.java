package io.distributedlock.integration;

import java.io.IOException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedRunnable;

import io.distributedlock.LeaseLostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Contract for locks that are taken away, and tasks under a lock.
 */
abstract class RegistryLossContract extends RegistryLockingContract {

	@ParameterizedTest
	@EnumSource
	void unlockOfALockThatWasTakenAwayReportsItHoweverItWasLocked(Entry entry) throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		assertThat(entry.into(lock)).isTrue();

		takeAway(key);

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withCauseInstanceOf(LeaseLostException.class);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		// The lock stays busy for a moment after it was taken away.
		assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void newHolderIsLeftAlone() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();
		takeAway(key);
		DistributedLock theirs = there().registry().obtain(key);
		assertThat(theirs.tryLock(10, TimeUnit.SECONDS)).isTrue();

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);

		assertThat(lock.tryLock()).isFalse();
		theirs.unlock();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void holderThatTriesAgainLearnsOnceThatTheLockWasTakenAway() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();
		lock.lock();
		takeAway(key);

		assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isFalse();

		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void holderThatTriesAgainDoesNotWaitForWhoHasTheLockNow() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();
		takeAway(key);
		DistributedLock theirs = there().registry().obtain(key);
		assertThat(theirs.tryLock(10, TimeUnit.SECONDS)).isTrue();

		assertThat(lock.tryLock(Duration.ofDays(1), Duration.ofMinutes(1))).isFalse();

		theirs.unlock();
	}

	@Test
	void renewLockReportsThatTheLockWasTakenAway() {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();
		takeAway(key);

		assertThatIllegalStateException().isThrownBy(() -> registry().renewLock(key))
			.withCauseInstanceOf(LeaseLostException.class);

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
	}

	@Test
	void tasksRunUnderTheLock() throws Exception {
		String key = newKey();
		AtomicInteger taken = new AtomicInteger();
		CheckedRunnable<Exception> task = () -> taken.addAndGet(isTaken(key) ? 1 : 0);

		registry().executeLocked(key, task);
		registry().executeLocked(key, Duration.ofSeconds(30), task);
		boolean first = registry().executeLocked(key, () -> isTaken(key));
		boolean second = registry().executeLocked(key, Duration.ofSeconds(30), () -> isTaken(key));

		assertThat(taken).hasValue(2);
		assertThat(first).isTrue();
		assertThat(second).isTrue();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void taskDoesNotRunWhenTheLockIsBusyForTheTime() throws Exception {
		String key = newKey();
		DistributedLock theirs = there().registry().obtain(key);
		theirs.lock();
		AtomicInteger runs = new AtomicInteger();

		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> registry().executeLocked(key, Duration.ofSeconds(1), runs::incrementAndGet))
			.withMessageContaining(key);

		assertThat(runs).hasValue(0);
		theirs.unlock();
	}

	@Test
	void taskDoesNotRunWhenTheThreadIsInterrupted() throws Exception {
		String key = newKey();
		AtomicInteger runs = new AtomicInteger();
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> registry().executeLocked(key, runs::incrementAndGet));

		assertThat(runs).hasValue(0);
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void exceptionOfTheTaskWinsAndTheLockIsFree() throws Exception {
		String key = newKey();
		IOException failure = new IOException("on purpose");

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> registry().executeLocked(key, () -> {
			throw failure;
		})).isSameAs(failure).satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());

		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void exceptionOfTheTaskWinsAndCarriesTheLossOfTheLock() {
		String key = newKey();
		IOException failure = new IOException("on purpose");

		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> registry().executeLocked(key, Duration.ofSeconds(30), () -> {
				takeAway(key);
				throw failure;
			}))
			.isSameAs(failure)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOf(ConcurrentModificationException.class)
				.extracting(Throwable::getCause)
				.isInstanceOf(LeaseLostException.class));
	}

	@Test
	void taskThatEndsWellAfterTheLossOfTheLockIsNoSuccess() {
		String key = newKey();

		assertThatExceptionOfType(ConcurrentModificationException.class)
			.isThrownBy(() -> registry().executeLocked(key, () -> {
				takeAway(key);
				return "done";
			}))
			.withCauseInstanceOf(LeaseLostException.class);
	}

	@Test
	void taskInsideATaskRunsUnderTheSameLock() throws Exception {
		String key = newKey();

		boolean taken = registry().executeLocked(key, () -> registry().executeLocked(key, () -> isTaken(key)));

		assertThat(taken).isTrue();
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void onlyOneOfTwoWaitersGetsTheLockThatIsUnlocked() throws Exception {
		String key = newKey();
		DistributedLock lock = registry().obtain(key);
		lock.lock();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch first = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Future<Boolean> here = elsewhere(() -> {
			visit(registry(), key, inside, most, first, goOn);
			return true;
		});
		Future<Boolean> there = elsewhere(() -> {
			visit(there().registry(), key, inside, most, first, goOn);
			return true;
		});

		lock.unlock();

		await(first);
		goOn.countDown();
		assertThat(get(here)).isTrue();
		assertThat(get(there)).isTrue();
		assertThat(most).hasValue(1);
	}

	private static void visit(LeaseLockRegistry registry, String key, AtomicInteger inside, AtomicInteger most,
			CountDownLatch first, CountDownLatch goOn) throws Exception {
		registry.executeLocked(key, () -> {
			int now = inside.incrementAndGet();
			most.accumulateAndGet(now, Math::max);
			first.countDown();
			await(goOn);
			inside.decrementAndGet();
		});
	}

}
