package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.StoreThreads;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which rows the janitor deletes, on any database.
 */
public abstract class JdbcJanitorContract {

	private static final String KEY = "order:42";

	private static final Duration TINY = Duration.ofMillis(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private final JdbcTestDatabase database = database();

	private final VirtualLockClock clock = new VirtualLockClock();

	private JdbcTestClient client;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
	}

	@Test
	void rowThatIsUnusedForTheRetentionIsDeleted() {
		use(KEY, Duration.ofHours(2));

		assertThat(janitor(HOUR).run()).isEqualTo(1);
		assertThat(isThere()).isFalse();
	}

	@Test
	void rowThatWasUsedLatelyStays() {
		use(KEY, Duration.ofMinutes(50));

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void heldRowStays() {
		this.client.acquire(KEY);
		age("token = 1");

		assertThat(janitor(TINY).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowOfAGroupStays() {
		this.client.enter(KEY, 0);
		age("token = 1, acquired_at = @@after(-7200000)@@");

		assertThat(janitor(TINY).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowOfAGroupThatEndedLatelyStaysHoweverLongItWasHeld() {
		this.client.release(this.client.enter("order:43", 0));
		this.database.set("order:43", "token = 1, " + lastUse(Duration.ofHours(2)));
		LeaseGrant member = this.client.enter(KEY, 0);
		age("acquired_at = @@after(-7200000)@@");
		this.client.release(member);
		age("token = 1");

		assertThat(janitor(HOUR).run()).isEqualTo(1);
		assertThat(isThere()).isTrue();
		assertThat(this.database.hasRow("order:43", "1 = 1")).isFalse();
	}

	@Test
	void membersThatHaveExpiredAreDeletedAndOthersStay() {
		for (int i = 0; i < 3; i++) {
			this.client.enter(KEY, 0);
		}
		this.client.enter("order:43", 2);
		this.database.expire(KEY);

		janitor(HOUR).run();

		assertThat(this.database.members(KEY)).isZero();
		assertThat(this.database.members("order:43")).isEqualTo(1);
	}

	@Test
	void withoutTheTableOfMembersOtherRowsAreDeleted() {
		use(KEY, Duration.ofHours(2));
		this.database.update("DROP TABLE @@reader_table@@", Map.of());

		assertThat(janitor(HOUR).run()).isEqualTo(1);
	}

	@Test
	void rowThatWasReleasedLatelyStaysHoweverLongItWasHeld() {
		LeaseGrant grant = this.client.acquire(KEY);
		age("acquired_at = @@after(-7200000)@@");
		this.client.release(grant);
		age("token = 1");

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowOfALaterVersionStays() {
		use(KEY, Duration.ofHours(2));
		age("format = 2");

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowThatCoolsDownStays() {
		this.client.release(this.client.acquire(KEY), Duration.ofMinutes(1));
		age("token = 1");

		assertThat(janitor(TINY).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowThatIsWaitedForStays() {
		use(KEY, Duration.ofHours(2));
		age("waiting_until = @@after(60000)@@");

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void rowWhoseTokenIsAheadOfTimeStays() {
		use(KEY, Duration.ofHours(2));
		age("token = @@micros@@");

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void tickIsRememberedForADay() {
		this.client.release(this.client.acquire(KEY, this.client.request(Instant.ofEpochSecond(1))));
		age("token = 1, " + lastUse(Duration.ofHours(23)));

		assertThat(janitor(HOUR).run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void tickIsForgottenAfterADay() {
		this.client.release(this.client.acquire(KEY, this.client.request(Instant.ofEpochSecond(1))));
		age("token = 1, " + lastUse(Duration.ofHours(25)));

		assertThat(janitor(HOUR).run()).isEqualTo(1);
	}

	@Test
	void tokensStayInOrderWhenTheirRowIsDeletedBetween() {
		for (int round = 0; round < 5; round++) {
			LeaseGrant earlier = this.client.acquire(KEY);
			this.client.release(earlier);
			this.database.update("DELETE FROM @@table@@ WHERE lock_key <> :key", Map.of("key", stored()));
			Awaitility.await().until(() -> janitor(TINY).run() == 1 || !isThere());

			LeaseGrant later = this.client.acquire(KEY);

			assertThat(later.token().first()).isGreaterThan(earlier.token().last());
			this.client.release(later);
		}
	}

	@Test
	void rowsOfOtherPrefixesStay() {
		JdbcLockSettings elsewhere = JdbcTestDatabase.settings("zebra:", "other", JdbcLockSettings.DEFAULT_TABLE,
				Duration.ofSeconds(10), HOUR, null);
		try (JdbcTestClient other = new JdbcTestClient(this.database.dataSource(), elsewhere)) {
			LeaseGrant grant = other.acquire(KEY);
			other.release(grant);
			use(KEY, Duration.ofHours(2));
			this.database.update("UPDATE @@table@@ SET token = 1, " + lastUse(Duration.ofHours(2)), Map.of());

			assertThat(janitor(HOUR).run()).isEqualTo(1);
			assertThat(janitor(elsewhere).run()).isEqualTo(1);
		}
	}

	@Test
	void moreRowsThanOneBatchAreDeletedInOneGo() {
		for (int i = 0; i < 450; i++) {
			this.client.acquire("row:" + i);
		}
		this.database.update("UPDATE @@table@@ SET token = 1, " + lastUse(Duration.ofHours(2)), Map.of());

		assertThat(janitor(HOUR).run()).isEqualTo(450);
	}

	@Test
	void oneInstanceAtATimeDoesIt() {
		JdbcJanitor other = janitor(HOUR);
		janitor(HOUR).run();
		use(KEY, Duration.ofHours(2));

		assertThat(other.run()).isZero();
		assertThat(isThere()).isTrue();
	}

	@Test
	void itsOwnLockIsNotListed() {
		this.client.acquire(KEY);

		janitor(HOUR).run();

		assertThat(JdbcTestClient.await(ListedLocks.all(this.client.connection()))).singleElement()
			.satisfies((info) -> assertThat(info.key()).isEqualTo(KEY));
	}

	@Test
	void comesFromTimeToTime() {
		BackendConnection connection = new JdbcLockBackend(this.database.dataSource(), settings(HOUR), this.clock)
			.connect((owner) -> {
			});
		try {
			for (int round = 0; round < 2; round++) {
				use(KEY, Duration.ofHours(2));
				this.database.update("DELETE FROM @@table@@ WHERE token <> 1", Map.of());
				this.clock.advance(Duration.ofMinutes(19));

				Awaitility.await().until(() -> !isThere() && this.clock.pending() == 1);
			}
		}
		finally {
			connection.close();
		}
		assertThat(this.clock.pending()).isZero();
	}

	private void use(String key, Duration ago) {
		this.client.release(this.client.acquire(key));
		age("token = 1, " + lastUse(ago));
	}

	private static String lastUse(Duration ago) {
		String time = "@@after(" + -ago.toMillis() + ")@@";
		return "acquired_at = " + time + ", expires_at = " + time;
	}

	private void age(String assignments) {
		this.database.update("UPDATE @@table@@ SET " + assignments + " WHERE lock_key = :key", Map.of("key", stored()));
	}

	private Object stored() {
		return Dialect.valueOf(this.database.platform().toUpperCase())
			.keyColumnType()
			.toColumn(JdbcTestDatabase.PREFIX + KEY);
	}

	private boolean isThere() {
		return this.database.hasRow(KEY, "1 = 1");
	}

	private JdbcJanitor janitor(Duration retention) {
		return janitor(settings(retention));
	}

	private JdbcJanitor janitor(JdbcLockSettings settings) {
		return new JdbcJanitor(
				new JdbcLockDatabase(this.database.dataSource(), settings, TableCreation.NONE, this.clock),
				StoreThreads.named("janitor", 1));
	}

	private static JdbcLockSettings settings(Duration retention) {
		return JdbcTestDatabase.settings(JdbcTestDatabase.PREFIX, "test@host:1", JdbcLockSettings.DEFAULT_TABLE,
				Duration.ofSeconds(10), retention, null);
	}

}
