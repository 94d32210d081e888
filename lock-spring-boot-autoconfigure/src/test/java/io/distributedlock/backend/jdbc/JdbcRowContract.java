package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What rows may hold, on any database: times of a clock that was set.
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

}
