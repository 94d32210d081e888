package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.SessionValidity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for leases that depend on a session in addition to their own TTL.
 */
class SessionLeaseTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.of("order:42").ttl(TTL).waitTime(Duration.ofMinutes(5));

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	// The end of the session according to the store's last confirmation.
	private long sessionUntil = this.clock.nanoTime() + Duration.ofSeconds(10).toNanos();

	private final LockEngine engine = new LockEngine(
			new SessionBackend(new LocalLockBackend(this.store, "first", this.clock), (now) -> this.sessionUntil - now),
			EngineSettings.DEFAULTS, this.clock, List.of(), List.of());

	private final DefaultLockTemplate template = new DefaultLockTemplate(this.engine,
			new DefaultScopes(this.engine, LeaseRetention.NONE));

	@Test
	void leaseEndsExactlyWithTheSessionAndReportsTheLoss() {
		List<Lease> told = new CopyOnWriteArrayList<>();
		Lease lease = this.template.acquire(REQUEST);
		lease.onLost(told::add);
		assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(10));

		this.clock.advance(Duration.ofSeconds(10).minusNanos(1));
		assertThat(lease.isHeld()).isTrue();
		this.clock.advance(Duration.ofNanos(1));

		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.release()).isFalse();
		Awaitility.await().until(() -> told.equals(List.of(lease)));
	}

	@Test
	void sessionThatIsConfirmedKeepsALeaseWithoutAnyRenewal() {
		Lease lease = this.template.acquire(REQUEST.withoutRenewal());

		for (int i = 0; i < 29; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			confirm();
			assertThat(lease.isHeld()).as("after %d s", i + 1).isTrue();
		}
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(lease.isHeld()).as("after its ttl").isFalse();
	}

	@Test
	void renewalDoesNotReplaceTheSession() {
		Lease lease = this.template.acquire(REQUEST.ttl(Duration.ofSeconds(1)));

		this.clock.advance(Duration.ofSeconds(9));
		assertThat(lease.isHeld()).isTrue();
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void leaseIsPassedOnThoughTheSessionIsShorterThanItsTtl() {
		Lease first = this.template.acquire(REQUEST);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiting.add(this.template.acquireAsync(REQUEST).toCompletableFuture());
		}
		first.release();
		Lease second = waiting.get(0).orTimeout(10, TimeUnit.SECONDS).join();

		second.release();

		Lease third = waiting.get(1).orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(third.fencingToken()).isEqualTo(second.fencingToken() + 1);
		assertThat(third.isHeld()).isTrue();
	}

	@Test
	void grantOfASessionThatIsOverIsNoGrant() {
		this.sessionUntil = this.clock.nanoTime();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST.waitTime(Duration.ZERO)));
	}

	private void confirm() {
		this.sessionUntil = this.clock.nanoTime() + Duration.ofSeconds(10).toNanos();
	}

	/**
	 * A client whose grants depend on a session.
	 */
	private static final class SessionBackend extends DecoratedBackend {

		private final SessionValidity session;

		SessionBackend(LocalLockBackend delegate, SessionValidity session) {
			super(delegate);
			this.session = session;
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return attempt.apply(request).thenApply((outcome) -> {
				if (!(outcome instanceof AttemptOutcome.Granted granted)) {
					return outcome;
				}
				LeaseGrant grant = granted.grant();
				return new AttemptOutcome.Granted(new LeaseGrant(grant.target(), grant.ownerId(), grant.tokens(),
						grant.validUntil(), this.session));
			});
		}

	}

}
