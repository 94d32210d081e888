package io.distributedlock.it.postgres;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.ObservedDataSource;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases in PostgreSQL if the driver puts all values into the text of the statements,
 * which then have no types.
 */
class PostgresSimpleQueryIntegrationTests extends JdbcLeaseContract {

	private static HikariDataSource pool;

	@BeforeAll
	static void connect() {
		pool = PostgresServer.pool(20);
		pool.setJdbcUrl(PostgresServer.url() + "&preferQueryMode=simple");
	}

	@AfterAll
	static void disconnect() {
		pool.close();
	}

	@Override
	protected JdbcTestDatabase database() {
		return new JdbcTestDatabase("postgresql", pool);
	}

	@Test
	void leasesOfABatchAreRenewedByOneStatement() {
		ObservedDataSource observed = new ObservedDataSource(pool);
		try (JdbcTestClient client = new JdbcTestClient(observed, database().settings())) {
			List<LeaseGrant> grants = IntStream.range(0, 3).mapToObj((i) -> client.acquire("row:" + i)).toList();
			observed.forget();

			List<RenewalOutcome> outcomes = JdbcTestClient.await(client.connection()
				.renew(grants.stream().map((grant) -> new Renewal(grant, JdbcTestClient.TTL)).toList()));

			assertThat(outcomes).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			assertThat(observed.statements()).hasSize(1);
		}
	}

	@Test
	void releasesThatComeTogetherAreSentTogether() {
		ObservedDataSource observed = new ObservedDataSource(pool);
		try (JdbcTestClient client = new JdbcTestClient(observed, database().settings())) {
			List<LeaseGrant> grants = IntStream.range(0, 50).mapToObj((i) -> client.acquire("row:" + i)).toList();
			observed.forget();

			List<CompletionStage<Boolean>> released = grants.stream()
				.map((grant) -> client.connection().release(grant, Duration.ZERO))
				.toList();

			assertThat(released).allSatisfy((each) -> assertThat(JdbcTestClient.await(each)).isTrue());
			assertThat(observed.statements()).hasSizeLessThan(50).anyMatch((sql) -> sql.contains("unnest"));
		}
	}

	@Test
	void waiterIsNotifiedOfTheRelease() {
		AtomicInteger woken = new AtomicInteger();
		try (JdbcTestClient client = new JdbcTestClient(pool, database().settings())) {
			LeaseGrant grant = client.acquire("order:42");
			Contender waiter = client.connection().contend(LockTarget.exclusive("order:42"), woken::incrementAndGet);
			Awaitility.await().until(() -> {
				AttemptOutcome.Busy busy = (AttemptOutcome.Busy) JdbcTestClient.await(waiter.attempt(client.waiting()));
				// Longer than a polling delay, so releases are notified now.
				return busy.pollAfter().compareTo(Duration.ofSeconds(1)) > 0;
			});
			int before = woken.get();

			client.release(grant);

			Awaitility.await().until(() -> woken.get() > before);
			waiter.withdraw();
		}
	}

}
