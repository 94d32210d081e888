package io.distributedlock.benchmarks.zookeeper;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;

/**
 * A single ZooKeeper server.
 */
public final class ZooKeeperStore implements Store {

	/**
	 * The name of Curator's mutex.
	 */
	public static final String CURATOR = "Curator";

	@Override
	public String name() {
		return "ZooKeeper";
	}

	@Override
	public Address start() {
		return Address.of(name(), ZooKeeperJvm.port());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare(BareZooKeeper::new),
				Contestant.subject((address) -> new String[] { "lock.backend=zookeeper",
						"lock.zookeeper.connect-string=127.0.0.1:" + address.port() }),
				Contestant.less(CURATOR, CuratorMutexes::new),
				Contestant.less("Spring Integration", SpringIntegrationZooKeeper::new));
	}

}
