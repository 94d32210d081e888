package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;

/**
 * Three members on 127.0.0.1 that agree by majority.
 */
public final class EtcdCluster implements AutoCloseable {

	private final List<EtcdProcess> members;

	private EtcdCluster(List<EtcdProcess> members) {
		this.members = members;
	}

	/**
	 * Start a cluster.
	 * @return the cluster, which answers
	 */
	public static EtcdCluster start() {
		List<EtcdProcess> members = new ArrayList<>();
		List<String> peers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			EtcdProcess member = EtcdProcess.prepare("m" + i);
			members.add(member);
			peers.add("m" + i + "=" + member.peerUrl());
		}
		for (EtcdProcess member : members) {
			member.add("--initial-cluster", String.join(",", peers));
			member.run();
		}
		members.forEach(EtcdProcess::awaitReady);
		return new EtcdCluster(members);
	}

	/**
	 * Return the members.
	 * @return the members, always in the same order
	 */
	public List<EtcdProcess> members() {
		return this.members;
	}

	/**
	 * Return the addresses of all members.
	 * @return the addresses
	 */
	public List<String> urls() {
		return this.members.stream().map(EtcdProcess::url).toList();
	}

	/**
	 * Return the leader. On a busy machine the members may be electing another one.
	 * @return the member
	 */
	public EtcdProcess leader() {
		return Awaitility.await("a leader")
			.pollDelay(Duration.ZERO)
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.members.stream()
				.filter((member) -> member.get("/metrics").contains("\netcd_server_is_leader 1\n"))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return connections to all members.
	 */
	Client client() {
		return Client.builder().endpoints(urls().toArray(String[]::new)).build();
	}

	@Override
	public void close() {
		this.members.forEach(EtcdProcess::close);
	}

}
