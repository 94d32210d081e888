package io.distributedlock.it.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockLockBackendContract;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of all stores on five nodes, two of which go down and come back all the
 * time, each by itself.
 */
class MinorityGoingDownLockBackendContractIntegrationTests extends RedlockLockBackendContract {

	private static final long SEED = 5;

	private static final List<TcpProxy> proxies = new ArrayList<>();

	private static final AtomicInteger ended = new AtomicInteger();

	private static ScheduledExecutorService troublemakers;

	private static List<RedlockEndpoint> endpoints;

	@BeforeAll
	static void begin() {
		RedlockServers servers = RedlockServers.shared();
		endpoints = new ArrayList<>(servers.first(3).endpoints());
		troublemakers = Executors.newSingleThreadScheduledExecutor();
		for (int i = 3; i < 5; i++) {
			TcpProxy proxy = TcpProxy.to(servers.get(i).port());
			proxies.add(proxy);
			endpoints.add(RedlockServers.endpoint(proxy.port()));
			later(proxy, new Random(SEED + i), true);
		}
	}

	private static void later(TcpProxy proxy, Random random, boolean cut) {
		troublemakers.schedule(() -> {
			if (cut) {
				ended.addAndGet(proxy.connections());
				proxy.cut();
			}
			else {
				proxy.restore();
			}
			later(proxy, random, !cut);
		}, 50 + random.nextInt(cut ? 1000 : 300), TimeUnit.MILLISECONDS);
	}

	@AfterAll
	static void end() {
		troublemakers.shutdownNow();
		proxies.forEach(TcpProxy::close);
		// They did go down under somebody.
		assertThat(ended).hasPositiveValue();
	}

	@Override
	protected List<RedlockEndpoint> endpoints() {
		return endpoints;
	}

}
