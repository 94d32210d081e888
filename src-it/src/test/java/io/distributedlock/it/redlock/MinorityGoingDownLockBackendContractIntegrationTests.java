package io.distributedlock.it.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of all stores on five nodes, two of which go down in the middle of each
 * test. They go down when its second client is created, and come back with the third.
 */
@FurtherTopology
class MinorityGoingDownLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	private static final int NODES = 5;

	private static final int MANY = 20;

	private static final AtomicInteger ended = new AtomicInteger();

	private static final AtomicInteger cuts = new AtomicInteger();

	private final List<TcpProxy> ways = RedlockServers.shared()
		.all()
		.subList(3, NODES)
		.stream()
		.map((server) -> TcpProxy.to(server.port()))
		.toList();

	private final AtomicInteger clients = new AtomicInteger();

	@Override
	protected List<RedlockEndpoint> endpoints() {
		List<RedlockEndpoint> endpoints = new ArrayList<>(RedlockServers.shared().first(3).endpoints());
		this.ways.forEach((way) -> endpoints.add(RedlockServers.endpoint(way.port())));
		return endpoints;
	}

	@Override
	protected LockBackend newClient() {
		int before = this.clients.getAndIncrement();
		if (before % 2 == 1) {
			cuts.incrementAndGet();
			this.ways.forEach((way) -> {
				ended.addAndGet(way.connections());
				way.cut();
			});
		}
		else {
			this.ways.forEach(TcpProxy::restore);
		}
		return super.newClient();
	}

	@AfterEach
	void closeWays() {
		this.ways.forEach(TcpProxy::close);
	}

	@AfterAll
	static void requireThatConnectionsWereCut() {
		// A cut may precede the first client's connection. Of many cuts, some follow it.
		if (cuts.get() > MANY) {
			assertThat(ended).as("connections that were cut under the first client").hasValueGreaterThan(NODES);
		}
	}

}
