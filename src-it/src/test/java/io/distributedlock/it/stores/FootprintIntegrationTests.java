package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redlock.RedlockServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts the threads and connections that a store needs for many callers.
 */
@RequiresEtcd
@Isolated
class FootprintIntegrationTests {

	private static final int CALLERS = 64;

	/**
	 * A database needs the most: eight workers, and a thread each for releases, renewals,
	 * notifications and returned connections. The engine has a few for timers and
	 * leaders, and those of callbacks that run.
	 */
	private static final int MOST_THREADS = 32;

	private static final Pattern PORT = Pattern.compile("(?<=127\\.0\\.0\\.1:|localhost:|port=)\\d+");

	@ParameterizedTest
	@EnumSource
	void threadsDoNotGrowWithCallers(SharedStore store) throws Exception {
		ConfigurableApplicationContext application = start(store.properties());
		try {
			assertThat(whileHeld(application, FootprintIntegrationTests::threads)).isBetween(1, MOST_THREADS);
		}
		finally {
			application.close();
		}
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REDLOCK")
	void connectionsDoNotGrowWithCallers(SharedStore store) throws Exception {
		assertThat(connections(store.properties())).isBetween(1, mostConnections(store));
	}

	@Test
	void connectionsOfARedlockDoNotGrowWithCallers() throws Exception {
		// A node remembers the addresses of its group, which are those of proxies here.
		RedlockServers nodes = RedlockServers.start(3);
		try {
			assertThat(connections(SharedStore.redlock(nodes))).isBetween(1, mostConnections(SharedStore.REDLOCK));
		}
		finally {
			nodes.kill();
		}
	}

	private static int connections(List<String> properties) throws Exception {
		Map<String, TcpProxy> proxies = new LinkedHashMap<>();
		try {
			ConfigurableApplicationContext application = start(
					properties.stream().map((property) -> proxied(property, proxies)).toList());
			try {
				return whileHeld(application, () -> proxies.values().stream().mapToInt(TcpProxy::connections).sum());
			}
			finally {
				application.close();
			}
		}
		finally {
			proxies.values().forEach(TcpProxy::close);
		}
	}

	private static int mostConnections(SharedStore store) {
		return switch (store) {
			// The size of the pool.
			case JDBC -> 16;
			// One for scripts, one for the subscription.
			case REDIS -> 2;
			// These two at each of three nodes.
			case REDLOCK -> 6;
			case ZOOKEEPER, ETCD -> 1;
		};
	}

	private static ConfigurableApplicationContext start(List<String> properties) {
		List<String> all = new ArrayList<>(properties);
		all.addAll(List.of("spring.config.location=optional:classpath:/none/",
				"lock.key-prefix=lock:" + UUID.randomUUID() + ":", "lock.leader-election.roles=reports"));
		return StoppingJvm.start(all);
	}

	private static String proxied(String property, Map<String, TcpProxy> proxies) {
		return PORT.matcher(property)
			.replaceAll((port) -> String.valueOf(
					proxies.computeIfAbsent(port.group(), (target) -> TcpProxy.to(Integer.parseInt(target))).port()));
	}

	/**
	 * Count something while each of many threads holds a lease that it has just taken.
	 */
	private static int whileHeld(ConfigurableApplicationContext application, Count count) throws Exception {
		LockTemplate locks = application.getBean(LockTemplate.class);
		ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
		try {
			List<CompletableFuture<Lease>> leases = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				String key = "order:" + i;
				leases.add(CompletableFuture.supplyAsync(() -> locks.acquire(key), callers));
			}
			for (CompletableFuture<Lease> lease : leases) {
				lease.get(1, TimeUnit.MINUTES);
			}
			int counted = count.now();
			leases.forEach((lease) -> lease.join().release());
			return counted;
		}
		finally {
			callers.shutdownNow();
		}
	}

	private static int threads() {
		return (int) Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("lock-"))
			.count();
	}

	private interface Count {

		int now();

	}

}
