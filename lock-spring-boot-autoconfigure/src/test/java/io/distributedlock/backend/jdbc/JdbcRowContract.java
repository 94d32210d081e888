package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What rows may hold, on any database: times of a clock that was set, and of sessions in
 * other zones.
 */
public abstract class JdbcRowContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final Duration HOUR = Duration.ofHours(1);

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

	@ParameterizedTest
	@ValueSource(strings = { "release", "releases", "abandon", "force" })
	void lockThatWasGivenBackIsFreeAfterTheClockOfTheDatabaseGoesBack(String how) {
		LeaseGrant grant = this.client.acquire(KEY);
		switch (how) {
			case "release" -> assertThat(this.client.release(grant)).isTrue();
			case "releases" -> releaseTogether(grant, this.client.acquire("a"), this.client.acquire("b"));
			case "abandon" -> this.client.abandon(grant.target(), grant.ownerId());
			default -> assertThat(JdbcTestClient.await(this.other.backend().forceRelease(KEY, Duration.ZERO))).isTrue();
		}

		this.database.stepClock(HOUR.negated());

		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
	}

	private void releaseTogether(LeaseGrant... grants) {
		List<CompletableFuture<Boolean>> stages = Stream.of(grants)
			.map((grant) -> this.client.backend().release(grant, Duration.ZERO).toCompletableFuture())
			.toList();
		stages.forEach((stage) -> assertThat(JdbcTestClient.await(stage)).isTrue());
	}

	@Test
	void holderKeepsItsLeaseWhenTheClockOfTheDatabaseGoesBack() {
		LeaseGrant grant = this.client.acquire(KEY);

		this.database.stepClock(HOUR.negated());

		assertThat(this.other.rest(KEY)).isBetween(HOUR, HOUR.plus(TTL));
		assertThat(JdbcTestClient.await(this.other.backend().find(KEY)).orElseThrow().heldFor()).isZero();
		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void leaseEndsAndItsHolderLearnsItWhenTheClockOfTheDatabaseGoesForward() {
		LeaseGrant grant = this.client.acquire(KEY);

		this.database.stepClock(HOUR);

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
		assertThat(this.client.release(grant)).isFalse();
	}

	@ParameterizedTest(name = "holder at {0}, contender at {1}")
	@CsvSource({ "Pacific/Niue, Pacific/Kiritimati", "Pacific/Kiritimati, Pacific/Niue",
			// As on both sides of the changes to and from summer time.
			"Etc/GMT-1, Etc/GMT-2", "Etc/GMT-2, Etc/GMT-1" })
	void restsAndAgesAreTheSameInSessionsOfAllZones(String holderZone, String contenderZone) {
		try (JdbcTestClient holder = in(holderZone); JdbcTestClient contender = in(contenderZone)) {
			LeaseGrant grant = holder.acquire(KEY);

			AttemptOutcome.Busy busy = (AttemptOutcome.Busy) contender.attempt(KEY, contender.waiting());
			assertThat(busy.retryAfter()).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(busy.pollAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(5));
			LockInfo info = JdbcTestClient.await(contender.backend().find(KEY)).orElseThrow();
			assertThat(info.remaining()).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(info.heldFor()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
			assertThat(holder.renew(grant, TTL.multipliedBy(2))).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(contender.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(contender.rest(KEY)).isBetween(TTL, TTL.multipliedBy(2));
			assertThat(holder.release(grant)).isTrue();
			LeaseGrant next = contender.acquire(KEY);
			assertThat(holder.rest(KEY)).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(next.token().first()).isGreaterThan(grant.token().last());
		}
	}

	private JdbcTestClient in(String zone) {
		return new JdbcTestClient(this.database.inZone(zone), this.database.settings());
	}

}
