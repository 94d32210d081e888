package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for a registry whose store can't be asked while a lock is held.
 */
class LeaseLockStoreFaultTests {

	private final RegistryFixture fixture = new RegistryFixture();

	private final LeaseLockRegistry registry = this.fixture.registry;

	private final DistributedLock lock = this.registry.obtain("k");

	@BeforeEach
	void lockAndCutOff() {
		this.lock.lock();
		this.fixture.client.setCutOff(true);
	}

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void unlockEndsWellAndTheLockIsGivenBackLater() {
		this.lock.unlock();

		this.fixture.client.setCutOff(false);
		Awaitility.await().until(() -> {
			this.fixture.clock.advance(Duration.ofSeconds(1));
			return !this.fixture.isHeld("k");
		});
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
	}

	@Test
	void holderThatTriesAgainGoesOnAsItsLeaseDoes() throws Exception {
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();

		this.lock.unlock();
		this.lock.unlock();
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
	}

	@Test
	void holderThatTriesAgainAfterItsLeaseHasRunOutHasLostIt() throws Exception {
		this.fixture.clock.advance(Duration.ofMinutes(1));

		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isFalse();

		this.fixture.client.setCutOff(false);
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void renewLockReportsIt() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.registry.renewLock("k"));

		this.lock.unlock();
	}

	@Test
	void taskDoesNotRun() {
		AtomicInteger runs = new AtomicInteger();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.registry.executeLocked("other", Duration.ZERO, runs::incrementAndGet));

		assertThat(runs).hasValue(0);
	}

	@Test
	void exceptionOfATaskIsWhatItsCallerSees() {
		this.fixture.client.setCutOff(false);

		assertThatIllegalStateException().isThrownBy(() -> this.registry.executeLocked("other", () -> {
			this.fixture.client.setCutOff(true);
			throw new IllegalStateException("on purpose");
		})).withMessage("on purpose");
	}

}
