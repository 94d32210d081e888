package io.distributedlock.it.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;

import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A waiter that attempts only when its test calls it. It never polls, so only a
 * notification can wake it.
 */
final class Sleeper {

	private static final Duration LONG_SLEEP = Duration.ofSeconds(5);

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final Contender contender;

	private final int permits;

	Sleeper(BackendConnection connection, String key) {
		this(connection, LockTarget.exclusive(key), 0);
	}

	Sleeper(BackendConnection connection, LockTarget target, int permits) {
		this.permits = permits;
		this.contender = connection.contend(target, this.wakeUps::incrementAndGet);
	}

	AttemptOutcome attempt() {
		return JdbcTestClient.await(this.contender.attempt(new LeaseRequest(OwnerId.random(), JdbcTestClient.TTL, 1,
				this.permits, null, true, Duration.ofSeconds(10), Duration.ZERO)));
	}

	AttemptOutcome.Busy busy() {
		AttemptOutcome outcome = attempt();
		assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);
		return (AttemptOutcome.Busy) outcome;
	}

	/**
	 * Attempt once, and again after each wake-up until the waiter is notified of
	 * releases.
	 * @return this sleeper, which has not been woken since its last attempt
	 */
	Sleeper asleep() {
		while (!busy().pollAfter().equals(LONG_SLEEP)) {
			untilWoken();
		}
		return this;
	}

	Sleeper untilWoken() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.wakeUps.getAndSet(0) > 0);
		return this;
	}

	void untilGranted() {
		untilWoken();
		assertThat(attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	void withdraw() {
		this.contender.withdraw();
	}

}
