package io.distributedlock.benchmarks.jdbc;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.postgres.PostgresServer;

/**
 * PostgreSQL.
 */
public final class PostgresStore implements Store {

	/**
	 * The name of the store.
	 */
	public static final String NAME = "PostgreSQL";

	/**
	 * The name of ShedLock's lock in a database.
	 */
	public static final String SHED_LOCK = "ShedLock JDBC";

	/**
	 * The name of Spring Integration's lock in a database.
	 */
	public static final String SPRING_INTEGRATION = "Spring Integration JDBC";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Address start() {
		return Address.of(name(), PostgresServer.port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare((address) -> new BareJdbc(url(address), BareJdbc.Statements.POSTGRESQL)),
				Contestant.subject((address) -> new String[] { "lock.backend=jdbc",
						"spring.datasource.url=" + url(address), "lock.jdbc.initialize-schema=always" }),
				Contestant.less(SHED_LOCK, (address) -> new ShedLockJdbc(url(address))),
				Contestant.less(SPRING_INTEGRATION, (address) -> new SpringIntegrationJdbc(url(address), "TIMESTAMP")));
	}

	private static String url(Address address) {
		return "jdbc:postgresql://127.0.0.1:" + address.port() + "/postgres?user=postgres";
	}

}
