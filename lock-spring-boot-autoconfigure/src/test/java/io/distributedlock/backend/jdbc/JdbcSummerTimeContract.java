package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;

import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The changes to and from summer time, on databases whose clock stands still at a given
 * instant for a session.
 */
public abstract class JdbcSummerTimeContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	protected abstract JdbcTestDatabase database();

	/**
	 * Return sessions in Central European time.
	 * @param now the instant at which their clock stands
	 * @return the sessions
	 */
	protected abstract DataSource sessionsAt(Instant now);

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
	}

	@ParameterizedTest
	@ValueSource(strings = { "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z" })
	void restsAndAgesCountTheSecondsThatHavePassed(Instant change) {
		try (JdbcTestClient before = at(change.minusSeconds(20)); JdbcTestClient after = at(change.plusSeconds(10))) {
			LeaseGrant grant = before.acquire(KEY);

			assertThat(before.rest(KEY)).isEqualTo(TTL);
			assertThat(after.attempt(KEY)).isInstanceOfSatisfying(AttemptOutcome.Busy.class, (busy) -> {
				assertThat(busy.retryAfter()).isEqualTo(TTL.minusSeconds(30));
				assertThat(busy.pollAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(5));
			});
			LockInfo info = JdbcTestClient.await(after.connection().find(KEY)).orElseThrow();
			assertThat(info.remaining()).isEqualTo(TTL.minusSeconds(30));
			assertThat(info.heldFor()).isEqualTo(Duration.ofSeconds(30));
			assertThat(after.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(before.rest(KEY)).isEqualTo(TTL.plusSeconds(30));
		}
		try (JdbcTestClient later = at(change.plusSeconds(10).plus(TTL))) {
			later.acquire(KEY);
		}
	}

	private JdbcTestClient at(Instant now) {
		return new JdbcTestClient(sessionsAt(now), this.database.settings());
	}

}
