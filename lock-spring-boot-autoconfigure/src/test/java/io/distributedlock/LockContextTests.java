package io.distributedlock;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.test.FakeLease;
import io.distributedlock.test.Leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext}, as unit tests of applications use it.
 */
class LockContextTests {

	private final Lease lease = Leases.fake("order:1", 7);

	@Test
	void bodySeesTheLeaseItIsRunWithAndOnlyThen() {
		List<Long> tokens = new ArrayList<>();

		LockContext.runWith(this.lease, (held) -> {
			LockContext.assertHeld("order:1");
			assertThat(held).isSameAs(LockContext.current());
			tokens.add(LockContext.current().fencingToken());
		});

		assertThat(tokens).containsExactly(7L);
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void bodyMayReturnAValue() {
		String value = LockContext.callWith(this.lease, (held) -> held.key() + "=" + LockContext.current().key());

		assertThat(value).isEqualTo("order:1=order:1");
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void leasesAreNestedAndTheOuterOneIsShownAgain() {
		Lease inner = Leases.fake("order:2", 8);

		LockContext.runWith(this.lease, (outer) -> {
			LockContext.runWith(inner, (held) -> {
				assertThat(LockContext.current()).isSameAs(inner);
				assertThat(LockContext.current("order:1")).isSameAs(this.lease);
			});
			assertThat(LockContext.current()).isSameAs(this.lease);
			assertThatIllegalStateException().isThrownBy(() -> LockContext.current("order:2"));
		});
	}

	@Test
	void bodyThatThrowsLeavesNothingBehindAndItsExceptionIsItsOwn() {
		IOException failure = new IOException("disk full");

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> LockContext.runWith(this.lease, (held) -> {
			throw failure;
		})).isSameAs(failure);
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> LockContext.callWith(this.lease, (held) -> {
			throw failure;
		})).isSameAs(failure);

		assertThat(LockContext.find()).isEmpty();
		assertThat(this.lease.isHeld()).isTrue();
	}

	@Test
	void otherThreadsSeeNothing() {
		Optional<Lease> seen = LockContext.callWith(this.lease,
				(held) -> CompletableFuture.supplyAsync(LockContext::find).join());

		assertThat(seen).isEmpty();
	}

	@Test
	void leaseThatWasLostIsShownAndIsNotHeld() {
		FakeLease fake = Leases.fake("order:1", 7);

		LockContext.runWith(fake, (held) -> {
			fake.lose();

			assertThat(LockContext.current("order:1")).isSameAs(held);
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(LockContext::assertHeld);
		});
	}

	@Test
	void leaseThatIsShownIsNeverReEntered() {
		VirtualLockClock clock = new VirtualLockClock();
		LocalLockBackend backend = new LocalLockBackend(new LocalStore(clock), "one", clock);
		LockEngine engine = new LockEngine(backend, EngineSettings.DEFAULTS, clock, List.of(), List.of());
		LockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
		Lease handle = template.acquire("order:1");

		LockContext.runWith(handle, (held) -> assertThat(template.tryExecute("order:1", Lease::key)).isEmpty());
		handle.release();
		long token = LockContext.callWith(this.lease, (held) -> template.execute("order:1", Lease::fencingToken));

		assertThat(token).isGreaterThan(handle.fencingToken());
		engine.stop();
	}

}
