package io.distributedlock.it.zookeeper;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.backend.zookeeper.ZooKeeperRoute;
import io.distributedlock.it.net.TcpProxy;

/**
 * A route to servers through proxies, one for each.
 *
 * @param proxies the proxies
 */
record ProxyRoute(List<TcpProxy> proxies) implements ZooKeeperRoute {

	static ProxyRoute to(int... ports) {
		return new ProxyRoute(IntStream.of(ports).mapToObj(TcpProxy::to).toList());
	}

	/**
	 * Return the only or first proxy.
	 */
	TcpProxy proxy() {
		return this.proxies.get(0);
	}

	@Override
	public String connectString() {
		return this.proxies.stream().map((proxy) -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(","));
	}

	@Override
	public void cut() {
		this.proxies.forEach(TcpProxy::cut);
	}

	@Override
	public void loseAnswers() {
		this.proxies.forEach((proxy) -> proxy.answers().drop());
	}

	@Override
	public void restore() {
		this.proxies.forEach(TcpProxy::restore);
	}

	@Override
	public void close() {
		this.proxies.forEach(TcpProxy::close);
	}

}
