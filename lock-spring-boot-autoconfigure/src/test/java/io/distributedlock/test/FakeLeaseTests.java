package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LossReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FakeLease}.
 */
class FakeLeaseTests {

	private final FakeLease lease = Leases.fake("order:1", 7);

	private final List<Lease> losses = new ArrayList<>();

	@Test
	void isHeldUntilItIsReleased() {
		assertThat(this.lease.key()).isEqualTo("order:1");
		assertThat(this.lease.keys()).containsExactly("order:1");
		assertThat(this.lease.fencingToken()).isEqualTo(7);
		assertThat(this.lease.fencingToken("order:1")).isEqualTo(7);
		assertThatIllegalArgumentException().isThrownBy(() -> this.lease.fencingToken("order:2"));
		assertThat(this.lease.isHeld()).isTrue();
		assertThat(this.lease.remaining()).isPositive();
		this.lease.verify();

		assertThat(this.lease.release()).isTrue();

		assertThat(this.lease.isHeld()).isFalse();
		assertThat(this.lease.remaining()).isZero();
		assertThat(this.lease.release()).isTrue();
		assertThat(this.lease.releaseAsync()).isCompletedWithValue(true);
		this.lease.close();
		assertThatIllegalStateException().isThrownBy(this.lease::verify);
		assertThatIllegalStateException().isThrownBy(() -> this.lease.extend(Duration.ofSeconds(1)));
	}

	@Test
	void isLostOnceAndForGood() {
		this.lease.onLost(this.losses::add);

		this.lease.lose(LossReason.TAKEN);
		this.lease.lose();
		this.lease.onLost(this.losses::add);

		assertThat(this.losses).containsExactly(this.lease, this.lease);
		assertThat(this.lease.isHeld()).isFalse();
		assertThat(this.lease.remaining()).isZero();
		assertThat(this.lease.release()).isFalse();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this.lease::close)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.TAKEN));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(this.lease::verify);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.lease.extend(Duration.ofSeconds(1)));
	}

	@Test
	void isNotLostAfterItsRelease() {
		this.lease.onLost(this.losses::add);
		this.lease.release();

		this.lease.lose();
		this.lease.onLost(this.losses::add);

		assertThat(this.losses).isEmpty();
		assertThat(this.lease.release()).isTrue();
	}

	@Test
	void isExtendedAndNeverShortened() {
		this.lease.extend(Duration.ofMinutes(5));
		this.lease.extend(Duration.ofSeconds(1));

		assertThat(this.lease.remaining()).isEqualTo(Duration.ofMinutes(5));
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.lease.extend(Duration.ZERO));
	}

	@Test
	void keyThatNoLockCanHaveIsRefused() {
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> Leases.fake(" ", 7));
	}

}
