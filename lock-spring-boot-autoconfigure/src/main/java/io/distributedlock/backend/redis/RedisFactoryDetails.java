package io.distributedlock.backend.redis;

import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Reads the configured servers and user from a connection factory. The factories are
 * classes of Spring Data, which do not load a missing driver.
 */
final class RedisFactoryDetails {

	private RedisFactoryDetails() {
	}

	/**
	 * Return the addresses of the servers.
	 * @param factory opens connections
	 * @return hosts and ports, or {@code null} if they are not known
	 */
	static @Nullable String address(RedisConnectionFactory factory) {
		RedisConfiguration configuration = configuration(factory);
		if (configuration instanceof RedisSocketConfiguration socket) {
			return socket.getSocket();
		}
		if (configuration instanceof RedisStaticMasterReplicaConfiguration replicas) {
			return replicas.getNodes()
				.stream()
				.map((node) -> address(node.getHostName(), node.getPort()))
				.collect(Collectors.joining(", "));
		}
		if (configuration instanceof RedisSentinelConfiguration sentinel) {
			return "the Sentinels " + join(sentinel.getSentinels());
		}
		if (configuration instanceof RedisClusterConfiguration cluster) {
			return join(cluster.getClusterNodes());
		}
		return (configuration instanceof RedisStandaloneConfiguration alone)
				? address(alone.getHostName(), alone.getPort()) : null;
	}

	/**
	 * Return the user of the locks.
	 * @param factory opens connections
	 * @return the name, or {@code null} if it is not known
	 */
	static @Nullable String user(RedisConnectionFactory factory) {
		return (configuration(factory) instanceof RedisConfiguration.WithAuthentication authentication)
				? authentication.getUsername() : null;
	}

	/**
	 * Return whether one server has all keys, apart from its replicas.
	 * @param factory opens connections
	 * @return {@code false} if the servers are a Cluster, or are not known
	 */
	static boolean hasOnePrimary(RedisConnectionFactory factory) {
		RedisConfiguration configuration = configuration(factory);
		return configuration != null && !(configuration instanceof RedisClusterConfiguration);
	}

	private static @Nullable RedisConfiguration configuration(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return first(lettuce.getSocketConfiguration(), replicas(lettuce), lettuce.getSentinelConfiguration(),
					lettuce.getClusterConfiguration(), lettuce.getStandaloneConfiguration());
		}
		if (factory instanceof JedisConnectionFactory jedis) {
			return first(jedis.getSentinelConfiguration(), jedis.getClusterConfiguration(),
					jedis.getStandaloneConfiguration());
		}
		return null;
	}

	private static @Nullable RedisConfiguration first(@Nullable RedisConfiguration... candidates) {
		return Arrays.stream(candidates).filter(Objects::nonNull).findFirst().orElse(null);
	}

	/**
	 * Lettuce's factory returns all configurations but this one.
	 */
	private static @Nullable RedisConfiguration replicas(LettuceConnectionFactory lettuce) {
		try {
			return (new DirectFieldAccessor(lettuce)
				.getPropertyValue("configuration") instanceof RedisStaticMasterReplicaConfiguration fixed) ? fixed
						: null;
		}
		catch (BeansException ex) {
			return null;
		}
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

}
