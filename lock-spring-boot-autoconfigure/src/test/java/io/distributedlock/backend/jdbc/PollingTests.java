package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the cost of waiting if waiters are not notified of releases.
 */
class PollingTests {

	private static final Duration A_WHILE = Duration.ofSeconds(20);

	// At most two polls a second, each of one statement to acquire and one to mark.
	private static final double MOST_PER_KEY = 2 * 2;

	private final JdbcTestDatabase database = H2Database.create();

	private JdbcTestClient holder;

	private IdleWaiting waiting;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.holder = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.waiting = new IdleWaiting(this.database, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.waiting.close();
		this.holder.close();
	}

	@Test
	void releasesDoNotWakeWaiters() {
		this.holder.acquire("hot");

		assertThat(JdbcTestClient.await(this.holder.connection().wakesContenders(LockTarget.exclusive("hot"))))
			.isFalse();
	}

	@Test
	void hundredWaitersForOneKeyCostThePollingOfOne() {
		this.holder.acquire("hot");
		letTimePass();

		this.waiting.begin(100, (i) -> "hot");

		assertThat(this.waiting.statementsPerSecond(A_WHILE, 1)).isPositive().isLessThanOrEqualTo(MOST_PER_KEY);
	}

	@Test
	void pollingOfSomeKeysIsBounded() {
		IntStream.range(0, 7).forEach((i) -> this.holder.acquire("row:" + i));
		letTimePass();

		this.waiting.begin(7, (i) -> "row:" + i);

		assertThat(this.waiting.statementsPerSecond(A_WHILE, 7)).isPositive().isLessThanOrEqualTo(7 * MOST_PER_KEY);
	}

	/**
	 * Make the locks appear to have been held for a minute, because the database's clock
	 * does not run ahead like that of the waiters.
	 */
	private void letTimePass() {
		this.database.update("UPDATE @@table@@ SET acquired_at = @@after(-60000)@@", Map.of());
	}

}
