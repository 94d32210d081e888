package io.distributedlock.it.mariadb;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A MariaDB server, through MySQL's driver and statements.
 */
class MySqlServerIntegrationTests extends MariaDbServerContract {

	@Override
	JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

	@Override
	String url() {
		return MariaDbServer.mysqlUrl();
	}

	@Test
	void dialectServesMariaDbsDriverToo() {
		JdbcTestDatabase other = MariaDbServer.mysqlThroughMariaDbDriver();
		try (JdbcTestClient client = new JdbcTestClient(other.dataSource(), other.settings())) {
			LeaseGrant first = client.acquire("order:42");
			assertThat(client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(client.release(first)).isTrue();
			LeaseGrant second = client.acquire("order:42");
			assertThat(second.token().first()).isGreaterThan(first.token().last());
			assertThat(client.release(second)).isTrue();
		}
	}

}
