package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redis.RedisProcess;

/**
 * Measures how many pairs of acquisition and release a second one JVM achieves on five
 * nodes, with all of them near and with one of them far away. It compares them with the
 * bare algorithm over the same driver and with Redisson, then with three nodes and a
 * single Redis. Each thread has a key of its own. The figures are printed and not judged.
 */
public final class RedlockThroughputMeasurement {

	private static final Duration DELAY = Duration.parse(System.getProperty("delay", "PT0.05S"));

	private RedlockThroughputMeasurement() {
	}

	public static void main(String[] args) throws Exception {
		// Without an application all levels are logged, and the drivers log each command.
		LoggingSystem logging = LoggingSystem.get(RedlockThroughputMeasurement.class.getClassLoader());
		logging.setLogLevel(null, LogLevel.WARN);
		RedlockServers servers = RedlockServers.shared();
		List<Integer> near = servers.all().stream().map(RedisProcess::port).toList();
		new ThroughputTable("5 nodes", ofNodes(near, "near")).print();

		TcpProxy proxy = TcpProxy.to(near.get(4));
		List<Integer> oneFar = List.of(near.get(0), near.get(1), near.get(2), near.get(3), proxy.port());
		Map<String, ThroughputContender> withOneFar = ofNodes(oneFar, "far");
		proxy.delay(DELAY);
		new ThroughputTable("5 nodes, one of them slow by " + DELAY.toMillis() + " ms", withOneFar).print();

		Map<String, ThroughputContender> fewer = new LinkedHashMap<>();
		fewer.put("3 nodes", ThroughputContender.redlock(near.subList(0, 3), "three"));
		fewer.put("3 nodes, bare", ThroughputContender.bare(near.subList(0, 3), "three"));
		fewer.put("single Redis", ThroughputContender.singleRedis());
		new ThroughputTable("fewer nodes", fewer).print();

		// The servers end before the clients, which need not be logged.
		logging.setLogLevel(null, LogLevel.OFF);
		System.exit(0);
	}

	private static Map<String, ThroughputContender> ofNodes(List<Integer> ports, String prefix) {
		Map<String, ThroughputContender> contenders = new LinkedHashMap<>();
		contenders.put("Redlock", ThroughputContender.redlock(ports, prefix));
		contenders.put("bare", ThroughputContender.bare(ports, prefix));
		contenders.put("Redisson", ThroughputContender.redisson(ports, prefix));
		return contenders;
	}

}
