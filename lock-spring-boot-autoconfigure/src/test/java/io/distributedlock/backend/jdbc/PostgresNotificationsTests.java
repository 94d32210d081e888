package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.backend.notification.NotificationState;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for when a connection listens, and which waiters are woken.
 */
@ExtendWith(OutputCaptureExtension.class)
class PostgresNotificationsTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final BlockingQueue<String> releases = new LinkedBlockingQueue<>();

	private final AtomicInteger opened = new AtomicInteger();

	private final AtomicInteger closed = new AtomicInteger();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final AtomicInteger othersWakeUps = new AtomicInteger();

	private final AtomicInteger deaf = new AtomicInteger();

	private volatile SQLException fault;

	private final PostgresNotifications notifications = new PostgresNotifications(FakeConnection::new, true,
			this.clock);

	@AfterEach
	void stop() {
		this.notifications.close();
		this.notifications.awaitEnd(Duration.ofSeconds(10));
	}

	@Test
	void noConnectionListensUntilAContenderWaits() {
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		assertThat(this.opened).hasValue(0);
	}

	@Test
	void whoWaitsIsWokenOnceWhenItIsHeardFromThenOn() {
		subscribe(this.notifications, "a", this.wakeUps::incrementAndGet);

		Awaitility.await().untilAtomic(this.wakeUps, (count) -> assertThat(count).isEqualTo(1));
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
	}

	@Test
	void onlyThoseWhoWaitForTheReleasedKeyAreWoken() {
		listen();
		subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);

		this.releases.add("of another application");
		this.releases.add("b");

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void waiterThatFailsDoesNotKeepOthersFromBeingWoken() {
		listen();
		subscribe(this.notifications, "b", () -> {
			throw new IllegalStateException("planted");
		});
		subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);

		this.releases.add("b");

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
	}

	@Test
	void connectionIsGivenBackAMinuteAfterTheLastWaiter() {
		ReleaseWaiter waiter = listen();
		ReleaseWaiter other = subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);
		waiter.leave();
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);

		other.leave();
		this.clock.advance(Duration.ofSeconds(59));
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		Awaitility.await().until(() -> this.closed.get() == 1);
	}

	@Test
	void waiterWithinTheMinuteKeepsTheConnection() {
		listen().leave();
		this.clock.advance(Duration.ofSeconds(30));

		subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);
		this.clock.advance(Duration.ofMinutes(2));

		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		this.releases.add("b");
		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.opened).hasValue(1);
	}

	@Test
	void waiterAfterTheMinuteIsHeardAgain() {
		listen().leave();
		this.clock.advance(Duration.ofSeconds(61));

		subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.opened).hasValue(2);
	}

	@Test
	void brokenConnectionIsReplacedAndAllAttemptOnce() {
		listen();

		this.fault = new SQLException("broken", "08006");
		Awaitility.await().until(() -> this.closed.get() == 1 && this.clock.pending() == 1);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		this.fault = null;
		this.clock.advance(Duration.ofMillis(100));

		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
	}

	@Test
	void whereNoConnectionHearsAnythingTheLastIsGivenBackForGoodWithOneLine(CapturedOutput output) {
		this.deaf.set(Integer.MAX_VALUE);
		subscribe(this.notifications, "a", this.wakeUps::incrementAndGet);

		Awaitility.await()
			.until(() -> this.notifications.state() == NotificationState.UNSUPPORTED && this.closed.get() == 3);
		subscribe(this.notifications, "b", this.othersWakeUps::incrementAndGet);

		assertThat(this.clock.pending()).isZero();
		assertThat(this.opened).hasValue(3);
		assertThat(output.getAll()).containsOnlyOnce("lock.jdbc.notifications=off");
	}

	@Test
	void connectionThatIsHeardTooLateIsReplacedByOneThatIsHeardInTime(CapturedOutput output) {
		this.deaf.set(2);

		listen();

		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		assertThat(this.opened).hasValue(3);
		assertThat(output.getAll()).doesNotContain("lock.jdbc.notifications=off");
	}

	@Test
	void databaseThatRefusesToListenIsLeftInPeace() {
		this.fault = new SQLException("LISTEN is not known here", "42601");
		subscribe(this.notifications, "a", this.wakeUps::incrementAndGet);

		Awaitility.await().until(() -> this.notifications.state() == NotificationState.UNSUPPORTED);
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void stopEndsTheListener() {
		listen();

		this.notifications.close();
		this.notifications.awaitEnd(Duration.ofSeconds(10));

		assertThat(this.closed).hasValue(1);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.UNSUPPORTED);
	}

	@Test
	void noConnectionListensIfItIsSwitchedOff() {
		PostgresNotifications off = new PostgresNotifications(FakeConnection::new, false, this.clock);

		subscribe(off, "a", this.wakeUps::incrementAndGet);

		assertThat(off.state()).isEqualTo(NotificationState.UNSUPPORTED);
		assertThat(this.opened).hasValue(0);
	}

	private static ReleaseWaiter subscribe(PostgresNotifications notifications, String key, Runnable wakeUp) {
		ReleaseWaiter waiter = notifications.waiter(key, wakeUp);
		waiter.join();
		waiter.subscribe();
		return waiter;
	}

	private ReleaseWaiter listen() {
		ReleaseWaiter waiter = subscribe(this.notifications, "a", this.wakeUps::incrementAndGet);
		Awaitility.await().until(() -> this.wakeUps.get() == 1);
		return waiter;
	}

	private final class FakeConnection implements ListeningConnection {

		FakeConnection() throws SQLException {
			PostgresNotificationsTests.this.opened.incrementAndGet();
			fail();
		}

		private void fail() throws SQLException {
			SQLException planted = PostgresNotificationsTests.this.fault;
			if (planted != null) {
				throw planted;
			}
		}

		@Override
		public boolean isNotified() {
			return PostgresNotificationsTests.this.deaf.getAndDecrement() <= 0;
		}

		@Override
		public List<String> receive() throws SQLException {
			fail();
			try {
				String key = PostgresNotificationsTests.this.releases.poll(10, TimeUnit.MILLISECONDS);
				return (key != null) ? List.of(key) : List.of();
			}
			catch (InterruptedException ex) {
				throw new SQLException(ex);
			}
		}

		@Override
		public void close() {
			PostgresNotificationsTests.this.closed.incrementAndGet();
		}

	}

}
