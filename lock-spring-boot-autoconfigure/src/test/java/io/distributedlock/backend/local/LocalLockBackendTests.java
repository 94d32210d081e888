package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the local store does beyond the contract.
 */
class LocalLockBackendTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockTarget TARGET = LockTarget.exclusive("key");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final LocalLockBackend backend = new LocalLockBackend(this.store, "app@host:1", this.clock);

	private final List<OwnerId> lost = new ArrayList<>();

	private final BackendConnection connection = this.backend.connect(this.lost::add);

	private final AtomicInteger wakeUps = new AtomicInteger();

	@Test
	void millionReleasedKeysLeaveNothing() {
		for (int i = 0; i < 1_000_000; i++) {
			LeaseGrant grant = acquire(LockTarget.exclusive("key" + i));
			assertThat(this.connection.release(grant, Duration.ZERO)).isCompletedWithValue(true);
		}

		assertThat(this.store.size()).isZero();
	}

	@Test
	void keysOfExpiredLeasesAndEndedCooldownsAreForgotten() {
		for (int i = 0; i < 1_000; i++) {
			LeaseGrant grant = acquire(LockTarget.exclusive("key" + i));
			if (i % 2 == 0) {
				this.connection.release(grant, TTL);
			}
		}
		assertThat(this.store.size()).isEqualTo(1_000);

		this.clock.advance(TTL);

		assertThat(this.store.size()).isZero();
	}

	@Test
	void renewedLeaseIsNotForgottenAtItsFirstExpiry() {
		LeaseGrant grant = acquire(TARGET);
		this.store.renew(grant, TTL.multipliedBy(2));

		this.clock.advance(TTL);

		assertThat(this.store.size()).isOne();
	}

	@Test
	void tickIsRememberedForADayAndThenForgotten() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		this.connection.release(((AttemptOutcome.Granted) attempt(contend(TARGET), tick, false)).grant(),
				Duration.ZERO);

		this.clock.advance(Duration.ofHours(24).minusNanos(1));
		assertThat(attempt(contend(TARGET), tick, false)).isInstanceOf(AttemptOutcome.Done.class);
		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.store.size()).isZero();
	}

	@Test
	void keyThatSomebodyWaitsForIsForgottenWhenTheyWithdraw() {
		acquire(TARGET);
		Contender waiter = contend(TARGET);
		attempt(waiter, null, true);
		this.clock.advance(TTL);
		assertThat(this.store.size()).isOne();

		waiter.withdraw();

		assertThat(this.store.size()).isZero();
	}

	@Test
	void keyThatSomebodyWaitsForIsForgottenWhenTheirClientStops() {
		acquire(TARGET);
		attempt(contend(TARGET), null, true);
		this.clock.advance(TTL);

		this.connection.close();

		assertThat(this.store.size()).isZero();
	}

	@Test
	void waiterThatWithdrewIsNotRememberedByALateAttempt() {
		acquire(TARGET);
		Contender waiter = contend(TARGET);
		waiter.withdraw();
		attempt(waiter, null, true);

		this.clock.advance(TTL);

		assertThat(this.store.size()).isZero();
	}

	@Test
	void releaseWakesEachWaiterOnceAndNoOthers() {
		LeaseGrant grant = acquire(TARGET);
		attempt(contend(TARGET), null, true);
		attempt(contend(TARGET), null, true);
		attempt(contend(TARGET), null, false);
		Contender gone = contend(TARGET);
		attempt(gone, null, true);
		gone.withdraw();

		this.connection.release(grant, Duration.ZERO);

		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void wakeUpMayCallTheStore() {
		LeaseGrant grant = acquire(TARGET);
		List<AttemptOutcome> outcomes = new ArrayList<>();
		attempt(this.connection.contend(TARGET, () -> outcomes.add(attempt(contend(TARGET), null, false))), null, true);

		this.connection.release(grant, Duration.ZERO);

		assertThat(outcomes).hasOnlyElementsOfType(AttemptOutcome.Granted.class).hasSize(1);
	}

	@Test
	void busyAttemptLearnsExactlyWhatIsLeft() {
		acquire(TARGET);
		this.clock.advance(Duration.ofSeconds(10));

		AttemptOutcome outcome = attempt(contend(TARGET), null, false);

		assertThat(outcome).isEqualTo(new AttemptOutcome.Busy(Duration.ofSeconds(20), Duration.ofSeconds(20)));
	}

	@Test
	void holderOfALockThatIsTakenAwayIsNotifiedAtOnce() {
		LeaseGrant grant = acquire(TARGET);

		new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
		}).forceRelease("key", Duration.ZERO);

		assertThat(this.lost).containsExactly(grant.ownerId());
	}

	@Test
	void foundLockNamesTheInstance() {
		acquire(TARGET);

		assertThat(this.connection.find("key").toCompletableFuture().join().orElseThrow().instance())
			.isEqualTo("app@host:1");
	}

	@Test
	void tokensGrowOverARestart() {
		LeaseGrant before = acquire(TARGET);
		this.clock.advance(Duration.ofSeconds(1));

		BackendConnection restarted = new LocalLockBackend(new LocalStore(this.clock), "app@host:2", this.clock)
			.connect(this.lost::add);

		AttemptOutcome outcome = attempt(restarted.contend(TARGET, this.wakeUps::incrementAndGet), null, false);
		assertThat(((AttemptOutcome.Granted) outcome).grant().token().first()).isGreaterThan(before.token().last());
	}

	@Test
	void renewalReportsThatAnotherClientWaitsAndOnlyThen() {
		List<LeaseGrant> wanted = new ArrayList<>();
		BackendConnection holder = this.backend.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				wanted.add(grant);
			}

		});
		LeaseGrant grant = ((AttemptOutcome.Granted) attempt(holder.contend(TARGET, this.wakeUps::incrementAndGet),
				null, false))
			.grant();
		attempt(holder.contend(TARGET, this.wakeUps::incrementAndGet), null, true);
		holder.renew(List.of(new Renewal(grant, TTL)));
		assertThat(wanted).isEmpty();

		attempt(this.backend.anotherClient("other@host:1").connect(this.lost::add).contend(TARGET, () -> {
		}), null, true);
		holder.renew(List.of(new Renewal(grant, TTL)));

		assertThat(wanted).containsExactly(grant);
	}

	private Contender contend(LockTarget target) {
		return this.connection.contend(target, this.wakeUps::incrementAndGet);
	}

	private LeaseGrant acquire(LockTarget target) {
		return ((AttemptOutcome.Granted) attempt(contend(target), null, false)).grant();
	}

	private static AttemptOutcome attempt(Contender contender, @Nullable Instant tick, boolean waiting) {
		return contender
			.attempt(new LeaseRequest(OwnerId.random(), TTL, 1, tick, waiting, Duration.ofSeconds(2), Duration.ZERO))
			.toCompletableFuture()
			.join();
	}

}
