package io.distributedlock.benchmarks.etcd;

import java.util.List;
import java.util.Optional;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.process.InstalledPrograms;

/**
 * A single etcd.
 */
public final class EtcdStore implements Store {

	/**
	 * The name of etcd's own lock service in tables.
	 */
	public static final String LOCK_SERVICE = "etcd's lock service";

	@Override
	public String name() {
		return "etcd";
	}

	@Override
	public Optional<String> missing() {
		return InstalledPrograms.find("etcd").isPresent() ? Optional.empty()
				: Optional.of("there is no 'etcd' on the PATH (on Debian: apt-get install etcd-server)");
	}

	@Override
	public Address start() {
		return Address.of(name(), EtcdServer.process().port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare(BareEtcd::new), Contestant.subject(EtcdStore::settings),
				// It does not notify the holder of a lost lease and documents no token.
				Contestant.less(LOCK_SERVICE, EtcdLockService::new));
	}

	static String url(Address address) {
		return "http://127.0.0.1:" + address.port();
	}

	private static String[] settings(Address address) {
		return new String[] { "lock.backend=etcd", "lock.etcd.endpoints=" + url(address) };
	}

}
