package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups whose members change while a statement waits for the row of their key, on any
 * database.
 */
public abstract class JdbcGroupContract {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration BRIEF = Duration.ofSeconds(20);

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private JdbcTestClient client;

	private JdbcTestClient other;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
	}

	@Test
	void permitsAreCountedAfterTheEntryHasWaitedForTheRow() throws Exception {
		this.client.enter(KEY, 2);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<AttemptOutcome> attempt = later(() -> this.other.attempt(KEY, 2));
			row.awaitWaiting(1);
			row.enter("permits");
			row.commit();

			assertThat(attempt.get()).isInstanceOf(AttemptOutcome.Busy.class);
		}
		assertThat(this.database.members(KEY)).isEqualTo(2);
	}

	@Test
	void permitThatIsGivenBackWhileTheEntryWaitsForTheRowIsGranted() throws Exception {
		LeaseGrant former = this.client.enter(KEY, 1);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<Boolean> release = later(() -> this.client.release(former));
			row.awaitWaiting(1);
			CompletableFuture<AttemptOutcome> attempt = later(() -> this.other.attempt(KEY, 1));
			row.awaitWaiting(2);
			row.commit();

			assertThat(release.get()).isTrue();
			// Databases do not promise to serve the release first.
			if (attempt.get() instanceof AttemptOutcome.Busy) {
				this.other.enter(KEY, 1);
			}
		}
		assertThat(this.database.members(KEY)).isEqualTo(1);
	}

	@Test
	void readerThatEntersWhileAWriterWaitsForTheRowKeepsTheWriterOut() throws Exception {
		this.client.release(this.client.acquire(KEY));
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<AttemptOutcome> attempt = later(() -> this.other.attempt(KEY));
			row.awaitWaiting(1);
			row.enter("shared");
			row.commit();

			assertThat(attempt.get()).isInstanceOf(AttemptOutcome.Busy.class);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 5 })
	void renewalBetweenTheBeginOfAReleaseAndItsLockIsNotOverlooked(int permits) throws Exception {
		LeaseGrant renewed = this.client.enter(KEY, permits, BRIEF);
		LeaseGrant leaving = this.other.enter(KEY, permits, HOUR);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<Boolean> release = later(() -> this.other.release(leaving));
			row.awaitWaiting(1);
			row.update("UPDATE @@table@@ SET token = token + 1 WHERE lock_key = :key");
			row.update("UPDATE @@reader_table@@ SET expires_at = @@after(60000)@@ WHERE lock_key = :key AND owner = '"
					+ renewed.ownerId().value() + "'");
			row.commit();

			assertThat(release.get()).isTrue();
		}
		assertThat(this.database.isSettled(KEY)).isTrue();
		assertThat(this.client.renew(renewed, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 5 })
	void twoLastMembersThatWaitForTheRowTogetherFreeTheKeyAtOnce(int permits) throws Exception {
		LeaseGrant one = this.client.enter(KEY, permits);
		LeaseGrant two = this.other.enter(KEY, permits);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			List<CompletableFuture<Boolean>> releases = List.of(later(() -> this.client.release(one)),
					later(() -> this.other.release(two)));
			row.awaitWaiting(2);
			row.commit();

			for (CompletableFuture<Boolean> release : releases) {
				assertThat(release.get()).isTrue();
			}
		}
		this.client.acquire(KEY);
	}

	@Test
	void renewalThatWaitsForTheRowWithItsOwnReleaseLeavesNothingBehind() throws Exception {
		LeaseGrant leaving = this.client.enter(KEY, 0);
		LeaseGrant staying = this.other.enter(KEY, 0, BRIEF);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<RenewalOutcome> renewal = later(() -> this.client.renew(leaving, HOUR));
			row.awaitWaiting(1);
			CompletableFuture<Boolean> release = later(() -> this.client.release(leaving));
			row.awaitWaiting(2);
			row.commit();

			assertThat(renewal.get()).isNotInstanceOf(RenewalOutcome.Unknown.class);
			assertThat(release.get()).isTrue();
		}
		assertThat(this.database.isSettled(KEY)).isTrue();
		assertThat(this.other.release(staying)).isTrue();
		this.client.acquire(KEY);
	}

	@Test
	void memberThatEntersWhileAForcedReleaseWaitsForTheRowIsEnded() throws Exception {
		LeaseGrant member = this.client.enter(KEY, 0);
		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			CompletableFuture<Boolean> force = later(
					() -> JdbcTestClient.await(this.other.connection().forceRelease(KEY, Duration.ZERO)));
			row.awaitWaiting(1);
			row.enter("shared");
			row.commit();

			assertThat(force.get()).isTrue();
		}
		assertThat(this.database.members(KEY)).isZero();
		this.other.enter(KEY, 0);
		assertThat(this.client.renew(member, HOUR)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	@Test
	void rowThatWasLostLeavesNoMemberToTheNextGroup() {
		LeaseGrant lost = this.client.enter(KEY, 1);
		this.database.delete(KEY);

		LeaseGrant next = this.other.enter(KEY, 1);

		assertThat(this.client.renew(lost, HOUR)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(lost)).isFalse();
		assertThat(this.database.members(KEY)).isEqualTo(1);
		assertThat(this.other.release(next)).isTrue();
		this.client.acquire(KEY);
	}

	@Test
	void raceForAMissingRowHasOneGroupAndNoFault() throws Exception {
		for (int round = 0; round < 10; round++) {
			String key = "race:" + round;
			List<CompletableFuture<AttemptOutcome>> attempts = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				JdbcTestClient racer = (i % 2 == 0) ? this.client : this.other;
				attempts.add(later(() -> racer.attempt(key, 3)));
			}

			List<AttemptOutcome> outcomes = new ArrayList<>();
			for (CompletableFuture<AttemptOutcome> attempt : attempts) {
				outcomes.add(attempt.get());
				if (attempt.get() instanceof AttemptOutcome.Unavailable unavailable) {
					throw new AssertionError(unavailable.cause());
				}
			}

			assertThat(outcomes).filteredOn(AttemptOutcome.Granted.class::isInstance).hasSize(3);
			assertThat(outcomes).filteredOn(AttemptOutcome.Busy.class::isInstance).hasSize(9);
		}
	}

	@Test
	void membersKeepTheirLeasesWhenTheClockOfTheDatabaseGoesBack() {
		LeaseGrant one = this.client.enter(KEY, 0);
		LeaseGrant two = this.other.enter(KEY, 0);

		this.database.stepClock(HOUR.negated());

		assertThat(this.client.renew(one, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		LeaseGrant late = this.other.enter(KEY, 0);
		assertThat(late.token().first()).isGreaterThan(two.token().last());
		assertThat(this.database.coversMembers(KEY)).isTrue();
		for (LeaseGrant grant : List.of(one, two, late)) {
			assertThat(this.client.attempt(KEY)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(this.client.release(grant)).isTrue();
		}
		assertThat(this.client.acquire(KEY).token().first()).isGreaterThan(late.token().last());
	}

	@Test
	void keyOfAnEndedGroupStaysFreeWhenTheClockOfTheDatabaseGoesBack() {
		LeaseGrant member = this.client.enter(KEY, 3);
		this.other.attempt(KEY, this.other.waiting());
		assertThat(this.client.release(member)).isTrue();

		this.database.stepClock(HOUR.negated());

		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(member.token().last());
	}

	@Test
	void membersEndAndLearnItWhenTheClockOfTheDatabaseGoesForward() {
		LeaseGrant member = this.client.enter(KEY, 3);

		this.database.stepClock(HOUR);

		assertThat(this.client.renew(member, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(member.token().last());
		assertThat(this.client.release(member)).isFalse();
	}

	@Test
	void renewalsOfSeveralKeysInOppositeOrderNeverFail() throws Exception {
		List<LeaseGrant> grants = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			grants.add(this.client.enter("key:" + i % 4, 0));
		}
		List<CompletableFuture<Boolean>> rounds = new ArrayList<>();
		for (JdbcTestClient each : List.of(this.client, this.other)) {
			List<LeaseGrant> ordered = new ArrayList<>(grants);
			if (each == this.other) {
				Collections.reverse(ordered);
			}
			rounds.add(later(() -> {
				for (int round = 0; round < 10; round++) {
					assertThat(JdbcTestClient.await(each.connection()
						.renew(ordered.stream().map((grant) -> new Renewal(grant, JdbcTestClient.TTL)).toList())))
						.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
				}
				return true;
			}));
		}
		for (CompletableFuture<Boolean> round : rounds) {
			assertThat(round.get()).isTrue();
		}
	}

	@Test
	void withdrawalDuringAnAttemptLeavesNoDoorClosed() throws Exception {
		this.client.enter(KEY, 0, HOUR);
		for (int round = 0; round < 10; round++) {
			Contender writer = this.other.connection().contend(LockTarget.exclusive(KEY), () -> {
			});
			CompletableFuture<AttemptOutcome> attempt = writer.attempt(this.other.waiting()).toCompletableFuture();
			writer.withdraw();
			attempt.get();

			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.client.attempt(KEY, 0) instanceof AttemptOutcome.Granted);
		}
	}

	@Test
	void memberWithoutOwnerIsNoHolder() {
		LeaseGrant cooling = this.client.enter(KEY, 0);
		this.client.release(cooling, HOUR);

		assertThat(JdbcTestClient.await(this.other.connection().find(KEY))).isEmpty();
		LeaseGrant next = this.other.enter(KEY, 0);

		LockInfo found = JdbcTestClient.await(this.client.connection().find(KEY)).orElseThrow();
		assertThat(found.mode()).isEqualTo(LockMode.SHARED);
		assertThat(found.fencingToken()).isEqualTo(next.token().last());
		assertThat(this.database.members(KEY)).isEqualTo(2);
	}

	private static <T> CompletableFuture<T> later(Work<T> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(work.run());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result;
	}

	private interface Work<T> {

		T run() throws SQLException;

	}

}
