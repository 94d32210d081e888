package io.distributedlock.contract;

import java.nio.charset.StandardCharsets;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.StaleTokenException;
import io.distributedlock.fencing.FenceTable;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.fencing.JdbcFencingGuard;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Calls of a holder with an expired lease report this and do no harm.
 */
abstract class StaleHolderContract extends ReleaseContract {

	private final String key = newKey();

	@Test
	void staleReleaseReportsLostAndLeavesTheNextHolderAlone() {
		LeaseGrant stale = expired(first());
		LeaseGrant next = acquire(second(), this.key);

		assertThat(release(first(), stale)).isFalse();

		assertBusy(third(), this.key);
		assertStands(second(), next);
		assertThat(release(second(), next)).isTrue();
	}

	@Test
	void staleReleaseLeavesTheNextHolderInTheSameClientAlone() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant stale = expired(first());
		LeaseGrant next = acquire(first(), this.key);

		assertThat(release(first(), stale)).isFalse();

		assertBusy(third(), this.key);
		assertStands(first(), next);
		assertThat(release(first(), next)).isTrue();
	}

	@Test
	void staleReleaseWithACooldownBlocksNoClient() {
		LeaseGrant stale = expired(first());
		LeaseGrant next = acquire(second(), this.key);

		assertThat(release(first(), stale, longTtl())).isFalse();

		assertStands(second(), next);
		assertThat(release(second(), next)).isTrue();
		assertFree(third(), this.key);
	}

	@Test
	void staleReleaseLeavesTheRestOfTheNextLeaseUnchanged() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant stale = expired(first());
		acquire(second(), this.key);

		assertRestUnchangedBy(this.key, () -> release(first(), stale));
		assertRestUnchangedBy(this.key, () -> release(first(), stale, briefTtl()));
	}

	@Test
	void staleRenewalReportsLostAndLeavesTheRestOfTheNextLeaseUnchanged() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant stale = expired(first());
		LeaseGrant next = acquire(second(), this.key);

		assertRestUnchangedBy(this.key, () -> assertThat(renew(first(), stale, longTtl().multipliedBy(10)))
			.isInstanceOf(RenewalOutcome.Lost.class));
		assertRestUnchangedBy(this.key,
				() -> assertThat(renew(first(), stale, briefTtl())).isInstanceOf(RenewalOutcome.Lost.class));
		assertStands(second(), next);
	}

	@Test
	void lateWriteOfAHolderThatStoodStillIsRefusedByAGuard() {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:" + OwnerId.random().value() + ";DB_CLOSE_DELAY=-1");
		ResourceDatabasePopulator schema = new ResourceDatabasePopulator(new ByteArrayResource(
				new FenceTable(FenceTable.DEFAULT_NAME).schema("h2").getBytes(StandardCharsets.UTF_8)));
		schema.execute(database);
		FencingGuard guard = new JdbcFencingGuard(database);
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(database));
		LeaseGrant stale = expired(first());
		LeaseGrant next = acquire(second(), this.key);

		transaction.executeWithoutResult((status) -> guard.check("account:1", next.token().first()));

		assertThatThrownBy(
				() -> transaction.executeWithoutResult((status) -> guard.check("account:1", stale.token().last())))
			.isInstanceOf(StaleTokenException.class);
		transaction.executeWithoutResult((status) -> guard.check("account:1", next.token().last()));
		new JdbcTemplate(database).execute("SHUTDOWN");
	}

	private LeaseGrant expired(ContractClient client) {
		LeaseGrant grant = acquire(client, this.key, briefTtl());
		letExpire(client, briefTtl());
		return grant;
	}

}
