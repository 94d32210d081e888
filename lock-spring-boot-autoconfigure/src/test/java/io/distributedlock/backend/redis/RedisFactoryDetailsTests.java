package io.distributedlock.backend.redis;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisFactoryDetails}.
 */
class RedisFactoryDetailsTests {

	private final RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration("primary",
			Set.of("b:26379", "a:26379"));

	private final RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("b:2", "a:1"));

	@Test
	void lettuceNamesItsServers() {
		RedisStaticMasterReplicaConfiguration replicas = new RedisStaticMasterReplicaConfiguration("primary", 1);
		replicas.addNode("replica", 2);

		assertThat(RedisFactoryDetails.address(new LettuceConnectionFactory("::1", 7))).isEqualTo("[::1]:7");
		assertThat(RedisFactoryDetails.address(new LettuceConnectionFactory(this.sentinels)))
			.isEqualTo("the Sentinels a:26379, b:26379");
		assertThat(RedisFactoryDetails.address(new LettuceConnectionFactory(this.cluster))).isEqualTo("a:1, b:2");
		assertThat(RedisFactoryDetails.address(new LettuceConnectionFactory(replicas)))
			.isEqualTo("primary:1, replica:2");
		assertThat(
				RedisFactoryDetails.address(new LettuceConnectionFactory(new RedisSocketConfiguration("/run/redis"))))
			.isEqualTo("/run/redis");
	}

	@Test
	void jedisNamesItsServers() {
		assertThat(RedisFactoryDetails.address(new JedisConnectionFactory(new RedisStandaloneConfiguration("host", 7))))
			.isEqualTo("host:7");
		assertThat(RedisFactoryDetails.address(new JedisConnectionFactory(this.sentinels)))
			.isEqualTo("the Sentinels a:26379, b:26379");
		assertThat(RedisFactoryDetails.address(new JedisConnectionFactory(this.cluster))).isEqualTo("a:1, b:2");
	}

}
