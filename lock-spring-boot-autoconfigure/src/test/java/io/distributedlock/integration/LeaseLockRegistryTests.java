package io.distributedlock.integration;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.integration.support.locks.DistributedLock;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LeaseLockRegistry}.
 */
class LeaseLockRegistryTests {

	private final RegistryFixture fixture = new RegistryFixture();

	private final LeaseLockRegistry registry = this.fixture.registry;

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void lockIsHeldUntilItIsUnlocked() {
		DistributedLock lock = this.registry.obtain("k");

		lock.lock();

		assertThat(this.fixture.isHeld("k")).isTrue();
		lock.unlock();
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void lockInterruptiblyIsHeldUntilItIsUnlocked() throws Exception {
		DistributedLock lock = this.registry.obtain("k");

		lock.lockInterruptibly();

		assertThat(this.fixture.isHeld("k")).isTrue();
		lock.unlock();
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void tryLockIsOneAttempt() throws Exception {
		DistributedLock lock = this.registry.obtain("k");

		assertThat(lock.tryLock()).isTrue();

		assertThat(this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock())).isFalse();
		lock.unlock();
	}

	@Test
	void tryLockWithATimeOfZeroOrLessIsOneAttempt() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();

		boolean busy = !this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock(0, TimeUnit.SECONDS));

		assertThat(busy).isTrue();
		lock.unlock();
	}

	@Test
	void otherThreadWaitsUntilTheLockIsUnlocked() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();
		Future<Boolean> other = this.fixture.elsewhere(() -> {
			DistributedLock sameKey = this.registry.obtain("k");
			sameKey.lock();
			boolean held = this.fixture.isHeld("k");
			sameKey.unlock();
			return held;
		});

		lock.unlock();

		assertThat(other.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void otherThreadThatWaitsWithATimeGetsTheLockWithinIt() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();
		Future<Boolean> other = this.fixture
			.elsewhere(() -> this.registry.obtain("k").tryLock(Long.MAX_VALUE, TimeUnit.DAYS));

		lock.unlock();

		assertThat(other.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void registryOfAnotherJvmIsLockedOut() throws Exception {
		LeaseLockRegistry neighbour = this.fixture.neighbour();
		this.registry.obtain("k").lock();

		assertThat(neighbour.obtain("k").tryLock()).isFalse();

		this.registry.obtain("k").unlock();
		assertThat(neighbour.obtain("k").tryLock()).isTrue();
	}

	@Test
	void differentKeysDoNotExcludeEachOther() throws Exception {
		this.registry.obtain("a").lock();

		assertThat(this.fixture.resultElsewhere(() -> this.registry.obtain("b").tryLock())).isTrue();
	}

	@Test
	void lockedTwiceIsUnlockedTwice() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();
		assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();

		lock.unlock();

		assertThat(this.fixture.isHeld("k")).isTrue();
		lock.unlock();
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void locksOfOneThreadMayBeUnlockedInAnyOrder() {
		this.registry.obtain("first").lock();
		this.registry.obtain("second").lock();

		this.registry.obtain("first").unlock();

		assertThat(this.fixture.isHeld("first")).isFalse();
		assertThat(LockContext.current("second").isHeld()).isTrue();
		this.registry.obtain("second").unlock();
		assertThatIllegalStateException().isThrownBy(() -> LockContext.current("second"));
	}

	@Test
	void holderGetsTheSameLockAgain() {
		DistributedLock lock = this.registry.obtain("k");

		lock.lock();

		assertThat(this.registry.obtain("k")).isSameAs(lock);
	}

	@Test
	void locksOnEqualKeysAreEqual() {
		assertThat(this.registry.obtain(1)).isEqualTo(this.registry.obtain("1"))
			.isNotEqualTo(this.registry.obtain(2))
			.hasToString("LeaseLock[1]");
	}

	@Test
	void unlockByAThreadThatDoesNotHoldTheLockIsRefused() {
		this.registry.obtain("k").lock();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> this.fixture.resultElsewhere(() -> {
			this.registry.obtain("k").unlock();
			return true;
		})).withCauseInstanceOf(IllegalStateException.class).withMessageContaining("'k'");
		assertThat(this.fixture.isHeld("k")).isTrue();
	}

	@Test
	void unlockWithoutLockIsRefused() {
		assertThatIllegalStateException().isThrownBy(this.registry.obtain("k")::unlock)
			.withMessageContaining("'k' is not held by the thread");
	}

	@Test
	void lockOfATemplateIsTheSameAsThatOfTheRegistry() throws Exception {
		this.fixture.template.executeWithoutResult("k", (lease) -> {
			DistributedLock lock = this.registry.obtain("k");
			lock.lock();

			assertThat(LockContext.current("k")).isSameAs(lease);
			lock.unlock();
			assertThat(this.fixture.isHeld("k")).isTrue();
		});
	}

	@Test
	void templateInsideALockEntersItAgain() {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();

		boolean ran = this.fixture.template.tryExecuteWithoutResult("k", (lease) -> {
		});

		assertThat(ran).isTrue();
		assertThat(this.fixture.isHeld("k")).isTrue();
		lock.unlock();
	}

	@Test
	void ttlOfACallIsThatOfTheLease() throws Exception {
		this.registry.obtain("a").lock(Duration.ofMinutes(3));
		assertThat(this.registry.obtain("b").tryLock(Duration.ZERO, Duration.ofMinutes(4))).isTrue();

		assertThat(this.fixture.remaining("a")).isEqualTo(Duration.ofMinutes(3));
		assertThat(this.fixture.remaining("b")).isEqualTo(Duration.ofMinutes(4));
	}

	@Test
	void ttlUnderTheLeastIsRefused() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.registry.obtain("k").lock(Duration.ofMillis(99)))
			.withMessageContaining("100 ms");
	}

	@Test
	void renewLockExtendsByTheTtlOfTheCall() {
		this.registry.obtain("k").lock(Duration.ofMinutes(3));
		this.fixture.clock.advance(Duration.ofSeconds(50));

		this.registry.renewLock("k");

		assertThat(this.fixture.remaining("k")).isGreaterThanOrEqualTo(Duration.ofMinutes(3));
	}

	@Test
	void renewLockWithATtlExtendsByIt() {
		this.registry.obtain("k").lock();

		this.registry.renewLock("k", Duration.ofMinutes(10));

		assertThat(this.fixture.remaining("k")).isGreaterThanOrEqualTo(Duration.ofMinutes(10));
	}

	@Test
	void renewLockByAThreadThatDoesNotHoldTheLockIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("k"))
			.withMessageContaining("'k' is not held");
	}

	@Test
	void executeLockedRunsTheTaskUnderTheLock() throws Exception {
		String result = this.registry.executeLocked("k", () -> "held: " + this.fixture.isHeld("k"));

		assertThat(result).isEqualTo("held: true");
		assertThat(this.fixture.isHeld("k")).isFalse();
	}

	@Test
	void executeLockedWithATimeEndsWhenTheLockIsBusy() throws Exception {
		this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock());

		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.executeLocked("k", Duration.ZERO, () -> {
			}));
	}

	@Test
	void expiringUnusedLocksLosesNoneThatIsHeld() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();

		this.registry.expireUnusedOlderThan(0);

		assertThat(this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock())).isFalse();
		lock.unlock();
	}

	@Test
	void heldLockOutlivesTheComingAndGoingOfManyOthers() throws Exception {
		DistributedLock lock = this.registry.obtain("k");
		lock.lock();

		for (int i = 0; i < 20_000; i++) {
			DistributedLock other = this.registry.obtain(i);
			other.lock();
			other.unlock();
		}

		assertThat(this.fixture.resultElsewhere(() -> this.registry.obtain("k").tryLock())).isFalse();
		assertThat(this.registry.obtain("k")).isSameAs(lock);
		assertThat(this.fixture.locks.list()).hasSize(1);
		this.registry.renewLock("k");
		lock.unlock();
	}

	@Test
	void conditionsAreUnsupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(this.registry.obtain("k")::newCondition);
	}

	@ParameterizedTest
	@MethodSource
	void keysAreTexts(Object key, String text) {
		this.registry.obtain(key).lock();

		assertThat(this.fixture.isHeld(text)).isTrue();
	}

	static Stream<Arguments> keysAreTexts() {
		UUID id = UUID.randomUUID();
		return Stream.of(Arguments.of("order:42", "order:42"), Arguments.of(new StringBuilder("b"), "b"),
				Arguments.of(42L, "42"), Arguments.of(true, "true"), Arguments.of('c', "c"),
				Arguments.of(id, id.toString()), Arguments.of(LocalDate.of(2026, 2, 3), "2026-02-03"),
				Arguments.of(DayOfWeek.MONDAY, "MONDAY"));
	}

	@ParameterizedTest
	@MethodSource
	void objectsWithoutATextOfTheirOwnAreNoKeys(Object key) {
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.registry.obtain(key));
	}

	static Stream<Object> objectsWithoutATextOfTheirOwnAreNoKeys() {
		return Stream.of(new Object(), LockRequest.of("k"), new int[] { 1 }, "", "  ", "\ud800");
	}

	@Test
	void nullIsNoKey() {
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.registry.obtain(null));
	}

}
