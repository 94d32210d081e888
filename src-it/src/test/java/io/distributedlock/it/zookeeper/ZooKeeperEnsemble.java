package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.process.JavaProcesses;

/**
 * Three ZooKeeper servers. They may connect to each other through proxies, so that one
 * can be cut off from the others while its clients stay connected.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {

	private static final int SIZE = 3;

	/**
	 * How long a follower continues without its leader, in ticks of half a second: longer
	 * than the sessions of tests.
	 */
	private static final List<String> TIMES = List.of("tickTime=500", "initLimit=20", "syncLimit=40",
			"minSessionTimeout=1000");

	private final List<ZooKeeperProcess> servers = new ArrayList<>();

	// By the server that connects.
	private final List<List<TcpProxy>> proxies = new ArrayList<>();

	/**
	 * Start an ensemble whose servers connect to each other directly, and notice at once
	 * when one dies.
	 * @param processes what ends it
	 * @return the ensemble
	 */
	public static ZooKeeperEnsemble direct(JavaProcesses processes) {
		return new ZooKeeperEnsemble(processes, false);
	}

	/**
	 * Start an ensemble whose servers connect to each other through proxies.
	 * @param processes what ends it
	 * @return the ensemble
	 */
	static ZooKeeperEnsemble behindProxies(JavaProcesses processes) {
		return new ZooKeeperEnsemble(processes, true);
	}

	private ZooKeeperEnsemble(JavaProcesses processes, boolean proxied) {
		int[] quorum = new int[SIZE];
		int[] election = new int[SIZE];
		for (int i = 0; i < SIZE; i++) {
			quorum[i] = FreePorts.next();
			election[i] = FreePorts.next();
		}
		for (int i = 0; i < SIZE; i++) {
			List<TcpProxy> ways = new ArrayList<>();
			List<String> settings = new ArrayList<>(TIMES);
			for (int j = 0; j < SIZE; j++) {
				if (i == j || !proxied) {
					settings.add(server(j, quorum[j], election[j]));
				}
				else {
					TcpProxy toQuorum = TcpProxy.to(quorum[j]);
					TcpProxy toElection = TcpProxy.to(election[j]);
					ways.addAll(List.of(toQuorum, toElection));
					settings.add(server(j, toQuorum.port(), toElection.port()));
				}
			}
			this.proxies.add(ways);
			this.servers.add(new ZooKeeperProcess(processes, i + 1, FreePorts.next(), settings));
		}
		this.servers.forEach(ZooKeeperProcess::start);
		this.servers.forEach((server) -> server.awaitMode("leader|follower"));
	}

	private static String server(int index, int quorum, int election) {
		return "server." + (index + 1) + "=127.0.0.1:" + quorum + ":" + election;
	}

	List<ZooKeeperProcess> servers() {
		return this.servers;
	}

	int[] ports() {
		return this.servers.stream().mapToInt(ZooKeeperProcess::port).toArray();
	}

	/**
	 * Return the addresses of the servers.
	 */
	public String connectString() {
		return this.servers.stream().map(ZooKeeperProcess::connectString).collect(Collectors.joining(","));
	}

	/**
	 * Return the current leader.
	 */
	public ZooKeeperProcess leader() {
		return await("leader", 0);
	}

	/**
	 * Return a follower.
	 * @param number which one, from zero
	 */
	public ZooKeeperProcess follower(int number) {
		return await("follower", number);
	}

	/**
	 * On a busy machine the servers may be electing another leader, or not answer.
	 */
	private ZooKeeperProcess await(String mode, int number) {
		return Awaitility.await("a " + mode)
			.pollDelay(Duration.ZERO)
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.servers.stream().filter((server) -> server.mode().equals(mode)).skip(number).findFirst(),
					Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Drop all data that a server and the others send each other, without closing a
	 * connection.
	 */
	void isolate(ZooKeeperProcess server) {
		int index = this.servers.indexOf(server);
		ways(index).forEach((way) -> {
			way.requests().hold();
			way.answers().hold();
		});
	}

	/**
	 * Return the proxies of a server's own connections. A follower has connected to its
	 * leader.
	 */
	private List<TcpProxy> ways(int index) {
		return this.proxies.get(index);
	}

	void restore() {
		this.proxies.forEach((ways) -> ways.forEach(TcpProxy::restore));
		Awaitility.await("the ensemble is whole again")
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.servers.stream().allMatch((server) -> server.mode().matches("leader|follower")));
	}

	@Override
	public void close() {
		this.proxies.forEach((ways) -> ways.forEach(TcpProxy::close));
	}

}
