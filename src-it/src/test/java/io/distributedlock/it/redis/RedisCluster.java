package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.it.net.FreePorts;

/**
 * One Cluster of three masters for all tests of a JVM.
 */
public final class RedisCluster {

	private static final int SLOTS = 16_384;

	private static final int MASTERS = 3;

	private RedisCluster() {
	}

	/**
	 * Return the ports of the masters, and start them if necessary.
	 * @return the ports on 127.0.0.1
	 */
	public static List<Integer> ports() {
		return Running.SERVERS.stream().map(RedisProcess::port).toList();
	}

	/**
	 * Start a server that is a Cluster by itself: all slots are its own.
	 */
	static RedisProcess startAlone() {
		return startAlone(FreePorts.next());
	}

	/**
	 * Start a server that is a Cluster by itself on a port.
	 * @param settings options of the command line, each with its value
	 */
	static RedisProcess startAlone(int port, String... settings) {
		List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
		all.addAll(List.of(settings));
		RedisProcess server = RedisProcess.start(port, all.toArray(String[]::new));
		with(server.port(), (commands) -> {
			commands.clusterAddSlots(IntStream.range(0, SLOTS).toArray());
			Awaitility.await("the Cluster")
				.atMost(Duration.ofSeconds(30))
				.until(() -> commands.clusterInfo().contains("cluster_state:ok"));
		});
		return server;
	}

	/**
	 * Return a key whose slot is that of another key.
	 * @param key the beginning of the key
	 * @param other the other key
	 */
	public static String keyInSlotOf(String key, String other) {
		return Stream.iterate(0, (number) -> number + 1)
			.map((number) -> key + ":" + number)
			.filter((each) -> SlotHash.getSlot(each) == SlotHash.getSlot(other))
			.findFirst()
			.orElseThrow();
	}

	static LettuceConnectionFactory lettuce() {
		return Lettuce.FACTORY;
	}

	static JedisConnectionFactory jedis() {
		return Jedis.FACTORY;
	}

	private static RedisClusterConfiguration configuration() {
		return new RedisClusterConfiguration(ports().stream().map((port) -> "127.0.0.1:" + port).toList());
	}

	// Not in the class that it initializes, because other threads run parts of it.
	private static List<RedisProcess> form() {
		List<RedisProcess> servers = IntStream.range(0, MASTERS)
			.mapToObj((index) -> RedisProcess.start("--cluster-enabled", "yes"))
			.toList();
		for (int i = 0; i < MASTERS; i++) {
			int first = SLOTS * i / MASTERS;
			int last = SLOTS * (i + 1) / MASTERS - 1;
			with(servers.get(i).port(), (commands) -> {
				commands.clusterAddSlots(IntStream.rangeClosed(first, last).toArray());
				commands.clusterMeet("127.0.0.1", servers.get(0).port());
			});
		}
		servers.forEach((server) -> with(server.port(),
				(commands) -> Awaitility.await("the Cluster").atMost(Duration.ofSeconds(30)).until(() -> {
					String info = commands.clusterInfo();
					return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + MASTERS)
							&& info.contains("cluster_size:" + MASTERS);
				})));
		return servers;
	}

	static void with(int port, Consumer<RedisCommands<String, String>> work) {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
		try {
			work.accept(client.connect().sync());
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	private static final class Running {

		static final List<RedisProcess> SERVERS = form();

	}

	private static final class Lettuce {

		static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(configuration(),
				LettuceClientConfiguration.defaultConfiguration());

	}

	private static final class Jedis {

		static final JedisConnectionFactory FACTORY = RedisFactories.jedis(configuration());

	}

}
