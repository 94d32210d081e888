package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.Scopes.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for re-entry and nesting, and for the leases that {@link LockContext} returns.
 */
class DefaultScopesTests {

	private static final LockRequest ONE = LockRequest.of(EngineFixture.KEY);

	private static final LockRequest TWO = LockRequest.of("order:43");

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void nestedScopeReEntersWithoutTheStore() {
		Scope outer = this.fixture.scopes.open(ONE);

		Scope inner = this.fixture.scopes.open(ONE.ttl(Duration.ofMillis(200)));

		assertThat(inner.lease()).isSameAs(outer.lease());
		assertThat(this.fixture.backend.attempts).hasValue(1);
		assertThat(inner.close()).isEmpty();
		assertThat(this.fixture.inStore()).isPresent();
		assertThat(outer.close()).isEmpty();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void innerTtlNeverShortensTheOuter() {
		Scope outer = this.fixture.scopes.open(ONE.withoutRenewal());
		Duration before = outer.lease().remaining();

		this.fixture.scopes.open(ONE.ttl(Duration.ofMillis(200))).close();

		assertThat(outer.lease().remaining()).isEqualTo(before);
		outer.close();
	}

	@Test
	void outermostExitHonoursTheLargestMinimumHold() {
		Scope outer = this.fixture.scopes.open(ONE);
		this.fixture.scopes.open(ONE.minHold(Duration.ofSeconds(10))).close();

		outer.close();

		assertThat(this.fixture.other.tryAcquire(ONE)).isEmpty();
		this.fixture.advance(Duration.ofSeconds(10));
		assertThat(this.fixture.other.tryAcquire(ONE)).isPresent();
	}

	@Test
	void scopesOfSeveralKeysNestAndUnwind() {
		Scope first = this.fixture.scopes.open(ONE);
		Scope second = this.fixture.scopes.open(TWO);
		Scope third = this.fixture.scopes.open(ONE);
		assertThat(third.lease()).isSameAs(first.lease());
		assertThat(LockContext.current(EngineFixture.KEY)).isSameAs(first.lease());

		third.close();
		assertThat(this.fixture.locksInStore()).isEqualTo(2);
		second.close();

		assertThat(LockContext.current()).isSameAs(first.lease());
		assertThat(this.fixture.locksInStore()).isEqualTo(1);
		first.close();
		assertThat(LockContext.find()).isEmpty();
		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void runningCodeIsShownTheLeaseOfTheScopeThatItReEntered() {
		Scope first = this.fixture.scopes.open(ONE);
		Scope second = this.fixture.scopes.open(TWO);

		Scope third = this.fixture.scopes.open(ONE);

		assertThat(LockContext.current()).isSameAs(first.lease());
		third.close();
		assertThat(LockContext.current()).isSameAs(second.lease());
		second.close();
		first.close();
	}

	@Test
	void exceptionAtAnyDepthLeavesNothingLocked() {
		for (int depth = 0; depth < 3; depth++) {
			int failing = depth;

			assertThatIllegalStateException().isThrownBy(() -> nest(0, failing));

			assertThat(this.fixture.locksInStore()).isZero();
			assertThat(LockContext.find()).isEmpty();
		}
	}

	private void nest(int depth, int failing) {
		this.fixture.template.executeWithoutResult((depth % 2 == 0) ? ONE : TWO, (lease) -> {
			if (depth == failing) {
				throw new IllegalStateException("depth " + depth);
			}
			nest(depth + 1, failing);
		});
	}

	@Test
	void innerAcquisitionThatFailsLeavesTheOuterAsItIs() {
		this.fixture.other.acquire(TWO);
		Scope outer = this.fixture.scopes.open(ONE);

		assertThat(this.fixture.scopes.tryOpen(TWO)).isEmpty();

		assertThat(LockContext.current()).isSameAs(outer.lease());
		assertThat(outer.close()).isEmpty();
	}

	@Test
	void handleOfTheSameThreadNeverReEnters() {
		Scope outer = this.fixture.scopes.open(ONE);

		assertThat(this.fixture.template.tryAcquire(ONE)).isEmpty();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.acquire(ONE.waitTime(Duration.ZERO)));
		outer.close();
	}

	@Test
	void handleIsNoScope() {
		Lease lease = this.fixture.template.acquire(ONE);

		assertThat(LockContext.find()).isEmpty();
		assertThat(this.fixture.scopes.tryOpen(ONE)).isEmpty();
		lease.release();
	}

	@Test
	void otherThreadsDoNotReEnter() {
		Scope outer = this.fixture.scopes.open(ONE);

		Optional<Scope> elsewhere = CompletableFuture.supplyAsync(() -> this.fixture.scopes.tryOpen(ONE))
			.orTimeout(10, TimeUnit.SECONDS)
			.join();

		assertThat(elsewhere).isEmpty();
		outer.close();
	}

	@Test
	void scopeWhoseLeaseIsLostIsNotReEntered() {
		Scope outer = this.fixture.scopes.open(ONE);
		this.fixture.forceRelease();

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.fixture.scopes.open(ONE));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.fixture.scopes.tryOpen(ONE));

		assertThat(outer.close()).isPresent();
		Scope afresh = this.fixture.scopes.open(ONE);
		assertThat(afresh.lease().isHeld()).isTrue();
		afresh.close();
	}

	@Test
	void assertHeldReportsMissingAndLostLocks() {
		assertThatIllegalStateException().isThrownBy(LockContext::assertHeld);
		Scope scope = this.fixture.scopes.open(ONE);
		LockContext.assertHeld(EngineFixture.KEY);
		assertThatIllegalStateException().isThrownBy(() -> LockContext.assertHeld("order:43"))
			.withMessageContaining("order:43");

		this.fixture.forceRelease();

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(LockContext::assertHeld);
		scope.close();
	}

	@Test
	void keptLeaseKeepsItsScopeUntilItIsLetGo() {
		List<Runnable> completions = new ArrayList<>();
		DefaultScopes scopes = new DefaultScopes(this.fixture.engine, (lease, release) -> completions.add(release));
		scopes.open(ONE).close();
		assertThat(this.fixture.inStore()).isPresent();

		Scope again = scopes.open(ONE);
		again.close();

		assertThat(this.fixture.backend.attempts).hasValue(1);
		assertThat(completions).hasSize(1);
		completions.get(0).run();
		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void leaseThatIsLetGoInsideANestedScopeIsReleasedAtItsEnd() {
		List<Runnable> completions = new ArrayList<>();
		DefaultScopes scopes = new DefaultScopes(this.fixture.engine,
				(lease, release) -> completions.isEmpty() && completions.add(release));
		scopes.open(ONE).close();
		Scope nested = scopes.open(ONE);

		completions.get(0).run();

		assertThat(this.fixture.inStore()).isPresent();
		nested.close();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void leaseThatIsLetGoOnAnotherThreadDoesNotBlockThisOne() {
		List<Runnable> completions = new ArrayList<>();
		LeaseRetention once = (lease, release) -> completions.isEmpty() && completions.add(release);
		DefaultScopes scopes = new DefaultScopes(this.fixture.engine, once);
		scopes.open(ONE).close();
		CompletableFuture.runAsync(completions.get(0)).orTimeout(10, TimeUnit.SECONDS).join();

		Scope next = scopes.open(ONE);

		assertThat(next.lease().isHeld()).isTrue();
		assertThat(LockContext.current()).isSameAs(next.lease());
		next.close();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void scopeThatIsLeftTwiceCountsOnce() {
		Scope outer = this.fixture.scopes.open(ONE);
		Scope inner = this.fixture.scopes.open(ONE);

		inner.close();
		inner.close();

		assertThat(this.fixture.inStore()).isPresent();
		outer.close();
	}

}
