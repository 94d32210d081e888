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

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When somebody listens, and who is woken.
 */
@ExtendWith(OutputCaptureExtension.class)
class SignalsTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final BlockingQueue<String> releases = new LinkedBlockingQueue<>();

	private final AtomicInteger opened = new AtomicInteger();

	private final AtomicInteger closed = new AtomicInteger();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final AtomicInteger othersWakeUps = new AtomicInteger();

	private final AtomicInteger deaf = new AtomicInteger();

	private volatile SQLException fault;

	private final Signals signals = new Signals(FakeEar::new, true, this.clock);

	@AfterEach
	void stop() {
		this.signals.close();
		this.signals.awaitEnd(Duration.ofSeconds(10));
	}

	@Test
	void nobodyListensUntilSomebodyWaits() {
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOT_YET);
		assertThat(this.opened).hasValue(0);
	}

	@Test
	void whoWaitsIsWokenOnceWhenItIsHeardFromThenOn() {
		this.signals.subscribe("a", this.wakeUps::incrementAndGet);

		Awaitility.await().untilAtomic(this.wakeUps, (count) -> assertThat(count).isEqualTo(1));
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);
	}

	@Test
	void onlyThoseWhoWaitForTheReleasedKeyAreWoken() {
		listen();
		this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);

		this.releases.add("of another application");
		this.releases.add("b");

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void waiterThatFailsKeepsNobodyElseFromBeingWoken() {
		listen();
		this.signals.subscribe("b", () -> {
			throw new IllegalStateException("planted");
		});
		this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);

		this.releases.add("b");

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
	}

	@Test
	void connectionIsGivenBackAMinuteAfterTheLastWaiter() {
		Signals.Subscription subscription = listen();
		Signals.Subscription other = this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);
		subscription.close();
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);

		other.close();
		this.clock.advance(Duration.ofSeconds(59));
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);
		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOT_YET);
		Awaitility.await().until(() -> this.closed.get() == 1);
	}

	@Test
	void waiterWithinTheMinuteKeepsTheConnection() {
		listen().close();
		this.clock.advance(Duration.ofSeconds(30));

		this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);
		this.clock.advance(Duration.ofMinutes(2));

		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);
		this.releases.add("b");
		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.opened).hasValue(1);
	}

	@Test
	void waiterAfterTheMinuteIsHeardAgain() {
		listen().close();
		this.clock.advance(Duration.ofSeconds(61));

		this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);

		Awaitility.await().until(() -> this.othersWakeUps.get() == 1);
		assertThat(this.opened).hasValue(2);
	}

	@Test
	void brokenConnectionIsReplacedAndAllAttemptOnce() {
		listen();

		this.fault = new SQLException("broken", "08006");
		Awaitility.await().until(() -> this.closed.get() == 1 && this.clock.pending() == 1);
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOT_YET);
		this.fault = null;
		this.clock.advance(Duration.ofMillis(100));

		Awaitility.await().until(() -> this.wakeUps.get() == 2);
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);
	}

	@Test
	void whereNoConnectionHearsAnythingTheLastIsGivenBackForGoodWithOneLine(CapturedOutput output) {
		this.deaf.set(Integer.MAX_VALUE);
		this.signals.subscribe("a", this.wakeUps::incrementAndGet);

		Awaitility.await().until(() -> this.signals.hearing() == Hearing.NONE && this.closed.get() == 3);
		this.signals.subscribe("b", this.othersWakeUps::incrementAndGet);

		assertThat(this.clock.pending()).isZero();
		assertThat(this.opened).hasValue(3);
		assertThat(output.getAll()).containsOnlyOnce("lock.jdbc.notifications=off");
	}

	@Test
	void connectionThatIsHeardTooLateIsReplacedByOneThatIsHeardInTime(CapturedOutput output) {
		this.deaf.set(2);

		listen();

		assertThat(this.signals.hearing()).isEqualTo(Hearing.NOW);
		assertThat(this.opened).hasValue(3);
		assertThat(output.getAll()).doesNotContain("lock.jdbc.notifications=off");
	}

	@Test
	void databaseThatRefusesToListenIsLeftInPeace() {
		this.fault = new SQLException("LISTEN is not known here", "42601");
		this.signals.subscribe("a", this.wakeUps::incrementAndGet);

		Awaitility.await().until(() -> this.signals.hearing() == Hearing.NONE);
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void stopEndsTheListener() {
		listen();

		this.signals.close();
		this.signals.awaitEnd(Duration.ofSeconds(10));

		assertThat(this.closed).hasValue(1);
		assertThat(this.signals.hearing()).isEqualTo(Hearing.NONE);
	}

	@Test
	void nobodyListensWhereItIsSwitchedOff() {
		Signals off = new Signals(FakeEar::new, false, this.clock);

		off.subscribe("a", this.wakeUps::incrementAndGet);

		assertThat(off.hearing()).isEqualTo(Hearing.NONE);
		assertThat(this.opened).hasValue(0);
	}

	private Signals.Subscription listen() {
		Signals.Subscription subscription = this.signals.subscribe("a", this.wakeUps::incrementAndGet);
		Awaitility.await().until(() -> this.wakeUps.get() == 1);
		return subscription;
	}

	private final class FakeEar implements Signals.Ear {

		FakeEar() throws SQLException {
			SignalsTests.this.opened.incrementAndGet();
			fail();
		}

		private void fail() throws SQLException {
			SQLException planted = SignalsTests.this.fault;
			if (planted != null) {
				throw planted;
			}
		}

		@Override
		public boolean hears() {
			return SignalsTests.this.deaf.getAndDecrement() <= 0;
		}

		@Override
		public List<String> receive() throws SQLException {
			fail();
			try {
				String key = SignalsTests.this.releases.poll(10, TimeUnit.MILLISECONDS);
				return (key != null) ? List.of(key) : List.of();
			}
			catch (InterruptedException ex) {
				throw new SQLException(ex);
			}
		}

		@Override
		public void close() {
			SignalsTests.this.closed.incrementAndGet();
		}

	}

}
