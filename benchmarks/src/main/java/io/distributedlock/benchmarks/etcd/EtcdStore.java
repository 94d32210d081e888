package io.distributedlock.benchmarks.etcd;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.it.etcd.EtcdServer;

/**
 * A single etcd.
 */
public final class EtcdStore implements Store {

	/**
	 * The name of etcd's own lock service in tables.
	 */
	public static final String LOCK_SERVICE = "etcd's lock service";

	/**
	 * Return whether an etcd is installed. If it is missing, this prints a message.
	 * @return whether the program is there
	 */
	public static boolean isInstalled() {
		return EtcdServer.isThereFor(EtcdStore.class);
	}

	@Override
	public String name() {
		return "etcd";
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
