package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProvenValidity}.
 */
class ProvenValidityTests {

	private static final Duration LENGTH = Duration.ofSeconds(5);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final AtomicBoolean alive = new AtomicBoolean(true);

	private final ProvenValidity validity = new ProvenValidity(this.clock, this.alive::get, end());

	@Test
	void nothingIsLeftAtItsEnd() {
		this.clock.advance(LENGTH.minusNanos(1));
		assertThat(left()).isOne();

		this.clock.advance(Duration.ofNanos(1));

		assertThat(left()).isZero();
	}

	@Test
	void acknowledgedWriteMovesTheEndOn() {
		this.clock.advance(Duration.ofSeconds(3));

		assertThat(this.validity.moveTo(end())).isTrue();

		assertThat(left()).isEqualTo(LENGTH.toNanos());
	}

	@Test
	void writeThatIsAcknowledgedTooLateRevivesNothing() {
		this.clock.advance(LENGTH);

		assertThat(this.validity.moveTo(end())).isFalse();

		assertThat(left()).isZero();
	}

	@Test
	void endThatWasSeenToPassIsNotMovedByAClockThatIsReadEarlier() {
		long later = this.clock.nanoTime() + LENGTH.toNanos();
		assertThat(this.validity.nanosLeft(later)).isZero();

		assertThat(this.validity.moveTo(end() + 1)).isFalse();

		assertThat(left()).isZero();
	}

	@Test
	void nothingIsLeftOfASessionWhoseClientWasClosed() {
		this.alive.set(false);

		assertThat(left()).isZero();
		this.alive.set(true);
		assertThat(left()).isZero();
	}

	private long end() {
		return this.clock.nanoTime() + LENGTH.toNanos();
	}

	private long left() {
		return this.validity.nanosLeft(this.clock.nanoTime());
	}

}
