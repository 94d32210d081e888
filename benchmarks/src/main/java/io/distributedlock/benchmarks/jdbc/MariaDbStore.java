package io.distributedlock.benchmarks.jdbc;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.mariadb.MariaDbServer;

/**
 * MariaDB through its own driver.
 */
public final class MariaDbStore implements Store {

	@Override
	public String name() {
		return "MariaDB";
	}

	@Override
	public Address start() {
		return Address.of(name(), MariaDbServer.port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare((address) -> new BareJdbc(url(address), BareJdbc.Statements.MARIADB)),
				Contestant.subject((address) -> new String[] { "lock.backend=jdbc",
						"spring.datasource.url=" + url(address), "lock.jdbc.initialize-schema=always" }),
				Contestant.less(PostgresStore.SHED_LOCK, (address) -> new ShedLockJdbc(url(address))),
				Contestant.less(PostgresStore.SPRING_INTEGRATION,
						(address) -> new SpringIntegrationJdbc(url(address), "DATETIME(6)")));
	}

	private static String url(Address address) {
		return "jdbc:mariadb://127.0.0.1:" + address.port() + "/locks?user=root";
	}

}
