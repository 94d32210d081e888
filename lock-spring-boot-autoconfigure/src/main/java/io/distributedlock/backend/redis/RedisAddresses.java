package io.distributedlock.backend.redis;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the addresses that an application configures, for messages.
 */
final class RedisAddresses {

	private RedisAddresses() {
	}

	/**
	 * Return where the servers are.
	 * @param factory opens connections
	 * @return hosts and ports, or {@code null} if they are not known
	 */
	static @Nullable String of(RedisConnectionFactory factory) {
		ClassLoader loader = RedisAddresses.class.getClassLoader();
		if (ClassUtils.isPresent("io.lettuce.core.RedisClient", loader)) {
			String address = Lettuce.address(factory);
			if (address != null) {
				return address;
			}
		}
		return ClassUtils.isPresent("redis.clients.jedis.Jedis", loader) ? Jedis.address(factory) : null;
	}

	private static @Nullable String first(@Nullable RedisSentinelConfiguration sentinel,
			@Nullable RedisClusterConfiguration cluster, @Nullable RedisStandaloneConfiguration alone) {
		if (sentinel != null) {
			return "the Sentinels " + join(sentinel.getSentinels());
		}
		if (cluster != null) {
			return join(cluster.getClusterNodes());
		}
		return (alone != null) ? address(alone.getHostName(), alone.getPort()) : null;
	}

	private static String join(Collection<RedisNode> nodes) {
		return nodes.stream()
			.map((node) -> address(String.valueOf(node.getHost()), (node.getPort() != null) ? node.getPort() : 6379))
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static String address(String host, int port) {
		return ((host.indexOf(':') >= 0) ? "[" + host + "]" : host) + ":" + port;
	}

	private static final class Lettuce {

		static @Nullable String address(RedisConnectionFactory factory) {
			if (!(factory instanceof LettuceConnectionFactory lettuce)) {
				return null;
			}
			RedisSocketConfiguration socket = lettuce.getSocketConfiguration();
			if (socket != null) {
				return socket.getSocket();
			}
			List<RedisStandaloneConfiguration> replicas = replicas(lettuce);
			if (!replicas.isEmpty()) {
				return replicas.stream()
					.map((node) -> RedisAddresses.address(node.getHostName(), node.getPort()))
					.collect(Collectors.joining(", "));
			}
			return first(lettuce.getSentinelConfiguration(), lettuce.getClusterConfiguration(),
					lettuce.getStandaloneConfiguration());
		}

		/**
		 * The factory tells of all configurations but this one.
		 */
		private static List<RedisStandaloneConfiguration> replicas(LettuceConnectionFactory lettuce) {
			try {
				return (new DirectFieldAccessor(lettuce)
					.getPropertyValue("configuration") instanceof RedisStaticMasterReplicaConfiguration fixed)
							? fixed.getNodes() : List.of();
			}
			catch (BeansException ex) {
				return List.of();
			}
		}

	}

	private static final class Jedis {

		static @Nullable String address(RedisConnectionFactory factory) {
			return (factory instanceof JedisConnectionFactory jedis) ? first(jedis.getSentinelConfiguration(),
					jedis.getClusterConfiguration(), jedis.getStandaloneConfiguration()) : null;
		}

	}

}
