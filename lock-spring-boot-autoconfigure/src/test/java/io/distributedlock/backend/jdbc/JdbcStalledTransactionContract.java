package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A client that stalls in a transaction and keeps the row of a key locked, on any
 * database over a network.
 */
public abstract class JdbcStalledTransactionContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private JdbcTestClient client;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(),
				this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(4)));
	}

	@AfterEach
	void stop() {
		this.client.close();
	}

	@Test
	void renewalOfAMemberIsUnknownAndNeverLostAndThoseOfOtherKeysSucceed() throws Exception {
		LeaseGrant before = this.client.enter("order:1", 0);
		LeaseGrant stalled = this.client.enter(KEY, 0);
		LeaseGrant permit = this.client.enter("order:43", 2);
		LeaseGrant exclusive = this.client.acquire("order:44");
		List<RenewalOutcome> outcomes;

		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			outcomes = renew(stalled, permit, exclusive, before);
		}

		assertThat(outcomes.get(0)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(outcomes.subList(1, 4)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(renew(stalled)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		for (LeaseGrant grant : List.of(before, stalled, permit, exclusive)) {
			assertThat(this.client.release(grant)).isTrue();
		}
	}

	private List<RenewalOutcome> renew(LeaseGrant... grants) {
		return JdbcTestClient.await(this.client.connection()
			.renew(List.of(grants).stream().map((grant) -> new Renewal(grant, TTL)).toList()));
	}

	@Test
	void releaseThatGetsNoAnswerIsUnknownAndMayBeRepeated() throws Exception {
		LeaseGrant grant = this.client.enter(KEY, 0);

		try (BlockedRow row = new BlockedRow(this.database, KEY)) {
			assertThatThrownBy(() -> this.client.release(grant)).isInstanceOf(CompletionException.class);
		}

		this.client.abandon(grant.target(), grant.ownerId());
		this.client.abandon(grant.target(), grant.ownerId());
		this.client.acquire(KEY);
	}

}
