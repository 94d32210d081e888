package io.distributedlock.integration;

import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the report of a loss to the thread that held the lock.
 */
class LeaseLockLossTests {

	private final RegistryFixture fixture = new RegistryFixture();

	private final LeaseLockRegistry registry = this.fixture.registry;

	private final DistributedLock lock = this.registry.obtain("k");

	@BeforeEach
	void lockAndLose() {
		this.lock.lock();
		this.fixture.lose("k");
	}

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void unlockReportsTheLoss() {
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("'k'")
			.withCauseInstanceOf(LeaseLostException.class);
	}

	@Test
	void unlockThatReportedTheLossHasForgottenIt() {
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);

		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	@Test
	void tryLockFailsOnceAndThenStartsAfresh() {
		assertThat(this.lock.tryLock()).isFalse();

		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void tryLockWithATimeFailsAtOnce() throws Exception {
		assertThat(this.lock.tryLock(10, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void lockThrowsOnceAndThenStartsAfresh() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this.lock::lock);

		this.lock.lock();

		this.lock.unlock();
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void lockForgottenByTryLockCanNotBeUnlocked() {
		DistributedLock forgotten = this.registry.obtain("forgotten");
		forgotten.lock();
		this.fixture.lose("forgotten");

		forgotten.tryLock();

		assertThatIllegalStateException().isThrownBy(forgotten::unlock);
		assertThatIllegalStateException().isThrownBy(() -> LockContext.current("forgotten"));
	}

	@Test
	void newHolderIsLeftAlone() throws Exception {
		assertThat(this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock())).isTrue();

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);

		assertThat(this.fixture.isHeld("k")).isTrue();
	}

	@Test
	void renewLockReportsTheLoss() {
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k"))
			.withCauseInstanceOf(LeaseLostException.class);
	}

	@Test
	void everyUnlockOfANestedLockReportsTheLoss() {
		DistributedLock nested = this.registry.obtain("nested");
		nested.lock();
		nested.lock();
		this.fixture.lose("nested");

		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(nested::unlock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(nested::unlock);
		assertThatIllegalStateException().isThrownBy(nested::unlock);
	}

	@Test
	void nestedLockIsForgottenWhole() {
		DistributedLock nested = this.registry.obtain("nested");
		nested.lock();
		nested.lock();
		this.fixture.lose("nested");

		assertThat(nested.tryLock()).isFalse();

		assertThat(nested.tryLock()).isTrue();
		nested.unlock();
		assertThat(this.fixture.isHeld("nested")).isFalse();
	}

	@Test
	void lossOfAScopeThatTheTemplateOpenedIsNoBusyLock() {
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.fixture.template.executeWithoutResult("template", (lease) -> {
				this.fixture.lose("template");
				this.registry.obtain("template").tryLock();
			}));
	}

	@Test
	void storeThatCanNotBeAskedIsNoBusyLock() {
		this.fixture.close();

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.registry.obtain("other")::tryLock);
	}

}
