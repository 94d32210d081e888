package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for calls that a store refuses permanently.
 */
class RefusedCallTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void refusedReleaseIsNotTrueAndNoLoss() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.refuse();

		boolean released = lease.release();

		assertThat(released).isFalse();
		assertThat(lease.releaseAsync().toCompletableFuture().join()).isFalse();
		assertThatNoException().isThrownBy(lease::close);
		assertThat(this.fixture.inStore()).isPresent();
		assertThat(this.fixture.news()).containsExactly("acquired", "released");
	}

	@Test
	void refusedReleaseIsRepeatedUntilTheTtlHasPassed() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.refuse();
		lease.release();

		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(2));

		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void bodyWhoseReleaseIsRefusedReturnsItsResult() {
		String result = this.fixture.template.execute(REQUEST, (lease) -> {
			this.fixture.backend.refuse();
			return "paid";
		});

		assertThat(result).isEqualTo("paid");
	}

	@Test
	void refusedAcquisitionSaysSo() {
		this.fixture.backend.refuse();

		assertThatExceptionOfType(LockRefusedException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.waitTime(Duration.ZERO)))
			.withMessageContaining("'order:42'")
			.withMessageContaining("the user 'app' may not run 'del'");
	}

	@Test
	void refusedConfirmationSaysSo() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.refuse();

		assertThatExceptionOfType(LockRefusedException.class).isThrownBy(lease::verify)
			.withMessageContaining("may not run 'del'");
		assertThat(lease.isHeld()).isTrue();
	}

}
