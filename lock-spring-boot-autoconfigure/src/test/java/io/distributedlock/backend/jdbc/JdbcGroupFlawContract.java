package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The tests of groups whose members change at the same time find each rule of the
 * statements that is broken. Each test breaks one of them, and sees the damage.
 */
public abstract class JdbcGroupFlawContract {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration BRIEF = Duration.ofSeconds(20);

	private static final String KEY = "order:42";

	private static final UnaryOperator<String> UNCOMPARED_ENTRY = (sql) -> FlawedStatement.broken(sql,
			"held.token = (SELECT token FROM seen) AND ", "");

	private final JdbcTestDatabase database = database();

	private final SystemLockClock clock = new SystemLockClock();

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
		this.clock.close();
	}

	@Test
	void entryThatCountsBeforeItHasTheRowGrantsAThirdOfTwoPermits() throws Exception {
		this.client.enter(KEY, 2);
		LeaseRequest request = this.client.request(2, HOUR, false);
		LockTarget target = JdbcTestClient.group(KEY, 2);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<@Nullable Long> entry = later("enter", UNCOMPARED_ENTRY,
					(connection) -> comparesTokens() ? GroupSql.on(connection).enter(target, request)
							: new LooksFirst(connection).enter(target, request));
			row.awaitWaiting(1);
			row.enter("permits");
			row.commit();

			assertThat(entry.get()).isNotNull();
		}
		assertThat(this.database.members(KEY)).isEqualTo(3);
	}

	@Test
	void releaseThatDoesNotCompareTheTokenOverlooksARenewal() throws Exception {
		assumeThat(comparesTokens()).isTrue();
		UnaryOperator<String> uncompared = (sql) -> FlawedStatement.broken(
				FlawedStatement.broken(sql,
						"CASE WHEN held.token = seen.token THEN seen.latest ELSE held.expires_at END", "seen.latest"),
				"held.token = seen.token + 1 AS settled", "TRUE AS settled");

		assertReleaseOverlooksARenewal(uncompared, "token + 1");
	}

	@Test
	void renewalThatDoesNotRaiseTheTokenIsOverlooked() throws Exception {
		assumeThat(comparesTokens()).isTrue();

		assertReleaseOverlooksARenewal(UnaryOperator.identity(), "token");
	}

	private void assertReleaseOverlooksARenewal(UnaryOperator<String> flaw, String token) throws Exception {
		LeaseGrant renewed = this.client.enter(KEY, 0, BRIEF);
		LeaseGrant leaving = this.client.enter(KEY, 0, HOUR);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<LeaseStatus> release = later("leave", flaw,
					(connection) -> GroupSql.on(connection).leave(leaving, Duration.ZERO));
			row.awaitWaiting(1);
			row.update("UPDATE @@table@@ SET token = " + token + " WHERE lock_key = :key");
			row.update("UPDATE @@reader_table@@ SET expires_at = @@after(60000)@@ WHERE lock_key = :key AND owner = '"
					+ renewed.ownerId().value() + "'");
			row.commit();

			assertThat(release.get().stands()).isTrue();
		}
		assertThat(this.database.coversMembers(KEY)).isFalse();
	}

	@Test
	void releasesThatDoNotRaiseTheTokenLeaveTheKeyTakenAfterTheLastOne() throws Exception {
		assumeThat(comparesTokens()).isTrue();
		UnaryOperator<String> unraised = (sql) -> FlawedStatement.broken(
				FlawedStatement.broken(sql, "SET token = held.token + 1,", "SET token = held.token,"),
				"held.token = seen.token + 1 AS settled", "held.token = seen.token AS settled");
		LeaseGrant one = this.client.enter(KEY, 0);
		LeaseGrant two = this.client.enter(KEY, 0);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<LeaseStatus> first = later("leave", unraised,
					(connection) -> GroupSql.on(connection).leave(one, Duration.ZERO));
			CompletableFuture<LeaseStatus> second = later("leave", unraised,
					(connection) -> GroupSql.on(connection).leave(two, Duration.ZERO));
			row.awaitWaiting(2);
			row.commit();

			assertThat(first.get().stands()).isTrue();
			assertThat(second.get().stands()).isTrue();
		}
		assertThat(this.database.members(KEY)).isZero();
		assertThat(this.database.hasRow(KEY, "expires_at > @@now@@")).isTrue();
	}

	@Test
	void forcedReleaseThatDoesNotCompareTheTokenLeavesAMemberThatTheNextGroupRevives() throws Exception {
		assumeThat(comparesTokens()).isTrue();
		UnaryOperator<String> uncompared = (sql) -> FlawedStatement.broken(sql, " AND held.token = seen.token", "");
		this.client.enter(KEY, 0);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<Boolean> force = later("force-group", uncompared,
					(connection) -> GroupSql.on(connection).force(KEY, GroupKind.SHARED, LeaseRelease.OVER.toMillis()));
			row.awaitWaiting(1);
			row.enter("shared");
			row.commit();

			assertThat(force.get()).isTrue();
		}
		assertThat(this.database.members(KEY)).isEqualTo(1);
	}

	@Test
	void renewalThatLeavesTheRowAloneLetsAWriterInBesideAReader() throws Exception {
		assumeThat(comparesTokens()).isTrue();
		LeaseGrant member = this.client.enter(KEY, 0, Duration.ofSeconds(2));
		UnaryOperator<String> alone = (sql) -> FlawedStatement.broken(
				FlawedStatement.broken(sql, "expires_at = GREATEST(held.expires_at, ",
						"expires_at = LEAST(held.expires_at, "),
				"LEAST(gate.expires_at, ", "GREATEST(gate.expires_at, ");

		assertThat(later("renew-members", alone,
				(connection) -> GroupSql.on(connection).renew(List.of(new Renewal(member, HOUR))))
			.get()).allMatch(LeaseStatus::stands);

		assertThat(this.database.coversMembers(KEY)).isFalse();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.client.attempt(KEY) instanceof AttemptOutcome.Granted);
		assertThat(this.client.renew(member, HOUR)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	private boolean comparesTokens() {
		return this.database.dialect().has(Dialect.Trait.ARRAYS);
	}

	private <T> CompletableFuture<T> later(String name, UnaryOperator<String> flaw,
			SqlFunction<LockConnection, T> work) {
		return new FlawedStatement(this.database, this.clock).run(name,
				comparesTokens() ? flaw : UnaryOperator.identity(), work);
	}

	/**
	 * Counts the members before it has the lock on the row.
	 */
	private static final class LooksFirst extends LockedGroupSql {

		LooksFirst(LockConnection connection) {
			super(connection);
		}

		@Override
		@Nullable Long enter(LockTarget target, LeaseRequest request) throws SQLException {
			Map<String, @Nullable Object> values = values(target, request);
			Long places = connection().queryFirst(statement("count-members"), values, (row) -> row.getLong(1));
			if (places != null && places >= request.permits()) {
				return null;
			}
			return connection().transaction((transaction) -> {
				Long token = transaction.token("enter", values);
				transaction.update("insert-member", values);
				return token;
			});
		}

	}

}
