package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The number of requests that shared leases and permits take, on any database. One begins
 * and one ends an open transaction.
 */
public abstract class JdbcGroupRequestsContract {

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private JdbcTestClient client;

	private JdbcTestClient other;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.observed, this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		for (int permits : new int[] { 0, 1 }) {
			this.client.release(this.client.enter(KEY, permits));
		}
		this.observed.forget();
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
	}

	@Test
	void entriesRenewalsAndReleasesTakeTheRequestsThatAreDocumented() {
		Costs costs = Costs.of(this.database);
		for (int permits : new int[] { 0, 3 }) {
			for (int i = 0; i < 3; i++) {
				this.other.enter(KEY, permits);
				LeaseGrant grant = this.client.enter(KEY, permits);
				assertRequests((permits == 0) ? costs.shared() : costs.permit());
				assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
				assertRequests(costs.renewal());
				assertThat(this.client.release(grant)).isTrue();
				assertRequests(costs.release());
				this.database.clear();
				this.other.release(this.other.enter(KEY, permits));
			}
		}
	}

	@Test
	void renewalsOfSeveralMembersTakeOneRequestInADatabaseWithArrays() {
		List<LeaseGrant> grants = List.of(this.client.enter(KEY, 0), this.client.enter(KEY, 0),
				this.client.enter("order:43", 2));
		this.observed.forget();

		assertThat(JdbcTestClient.await(this.client.connection()
			.renew(grants.stream().map((grant) -> new Renewal(grant, JdbcTestClient.TTL)).toList())))
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);

		assertRequests(this.database.dialect().has(Dialect.Trait.ARRAYS) ? 1 : 3 * Costs.of(this.database).renewal());
	}

	@Test
	void entryThatFindsAnExclusiveHolderTakesOneRequestMoreToLearnTheRest() {
		this.other.acquire(KEY);

		assertThat(this.client.attempt(KEY, 0)).isInstanceOf(AttemptOutcome.Busy.class);

		assertRequests(this.database.dialect().opensTransactions() ? 4 : 2);
	}

	@Test
	void waiterForAPermitOnlyLooksBeforeItOpensATransactionAgain() {
		this.other.enter(KEY, 1);
		Contender contender = this.client.connection().contend(JdbcTestClient.group(KEY, 1), () -> {
		});
		JdbcTestClient.await(contender.attempt(this.client.request(1, JdbcTestClient.TTL, true)));
		this.observed.forget();

		assertThat(JdbcTestClient.await(contender.attempt(this.client.request(1, JdbcTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);

		assertRequests(this.database.dialect().opensTransactions() ? 2 : 3);
		contender.withdraw();
	}

	@Test
	void waitingWriterThatMeetsAGroupTakesNoMoreRequestsThanOneThatMeetsAWriter() {
		this.other.enter(KEY, 0, Duration.ofHours(1));
		this.other.acquire("order:43");
		this.client.release(this.client.acquire("order:44"));

		int group = requestsOfWaiter(KEY);
		int writer = requestsOfWaiter("order:43");

		assertThat(group).isEqualTo(writer);
	}

	private int requestsOfWaiter(String key) {
		Contender contender = this.client.connection().contend(LockTarget.exclusive(key), () -> {
		});
		for (int i = 0; i < 3; i++) {
			// Until the client has subscribed to notifications, if there are any.
			this.observed.forget();
			assertThat(JdbcTestClient.await(contender.attempt(this.client.waiting())))
				.isInstanceOf(AttemptOutcome.Busy.class);
		}
		return requests().size();
	}

	private void assertRequests(int number) {
		assertThat(requests()).hasSize(number);
		this.observed.forget();
	}

	/**
	 * Return the requests except those that subscribe to notifications.
	 */
	private List<String> requests() {
		return this.observed.requests()
			.stream()
			.filter((sql) -> !sql.startsWith("LISTEN") && !sql.startsWith("SELECT pg_"))
			.toList();
	}

	/**
	 * Requests of each operation.
	 *
	 * @param shared an entry for a shared lease
	 * @param permit an entry for a permit
	 * @param renewal a renewal
	 * @param release a release
	 */
	private record Costs(int shared, int permit, int renewal, int release) {

		static Costs of(JdbcTestDatabase database) {
			return switch (database.platform()) {
				case "postgresql", "mariadb" -> new Costs(1, 1, 1, 1);
				case "mysql" -> new Costs(4, 5, 2, 6);
				case "h2" -> new Costs(5, 6, 6, 6);
				default -> new Costs(6, 7, 6, 6);
			};
		}

	}

}
