package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.Set;

import io.lettuce.core.KillArgs;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.it.net.FreePorts;

/**
 * A master, its replica and their Sentinel. Each instance has servers of its own.
 */
final class RedisSentinel {

	static final String NAME = "locks";

	private final RedisProcess master = RedisProcess.start("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1",
			String.valueOf(this.master.port()), "--repl-diskless-sync-delay", "0");

	private final RedisProcess sentinel;

	private RedisSentinel(Duration downAfter) {
		this.sentinel = RedisProcess.sentinel(FreePorts.next(),
				"sentinel monitor " + NAME + " 127.0.0.1 " + this.master.port() + " 1",
				"sentinel down-after-milliseconds " + NAME + " " + downAfter.toMillis(),
				"sentinel failover-timeout " + NAME + " 5000");
	}

	/**
	 * Start servers.
	 * @param downAfter for how long a master may stall, as it does on a busy machine,
	 * before its replica is promoted
	 */
	static RedisSentinel start(Duration downAfter) {
		return new RedisSentinel(downAfter);
	}

	RedisProcess master() {
		return this.master;
	}

	RedisProcess replica() {
		return this.replica;
	}

	LettuceConnectionFactory lettuce(@Nullable ReadFrom readFrom) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder();
		if (readFrom != null) {
			client.readFrom(readFrom);
		}
		return RedisFactories.lettuce(new RedisSentinelConfiguration(NAME, Set.of("127.0.0.1:" + this.sentinel.port())),
				client.build());
	}

	JedisConnectionFactory jedis() {
		return RedisFactories.jedis(new RedisSentinelConfiguration(NAME, Set.of("127.0.0.1:" + this.sentinel.port())));
	}

	/**
	 * Return whether the Sentinel knows the replica, which follows its master.
	 */
	boolean isReplicaKnown() {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.sentinel.port()));
		try {
			return client.connectSentinel()
				.sync()
				.replicas(NAME)
				.stream()
				.anyMatch((replica) -> "ok".equals(replica.get("master-link-status")));
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	/**
	 * Return what the Sentinel knows and what it has done, for the message of a test that
	 * waits for a promotion in vain.
	 */
	String describe() {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.sentinel.port()));
		try {
			RedisSentinelCommands<String, String> commands = client.connectSentinel().sync();
			return "The Sentinel knows the master " + commands.master(NAME) + " and the replicas "
					+ commands.replicas(NAME) + ". Its log:\n" + this.sentinel.log() + "The log of the replica:\n"
					+ this.replica.log();
		}
		catch (RedisException ex) {
			return "The Sentinel does not answer: " + ex + ". Its log:\n" + this.sentinel.log();
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	/**
	 * Return whether the replica has become the master. When the Sentinel promotes a
	 * replica it closes the connections of all clients, this one included.
	 */
	boolean isPromoted() {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.replica.port()));
		try {
			return client.connect().sync().info("replication").contains("role:master");
		}
		catch (RedisException ex) {
			return false;
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	/**
	 * Pause the replica, so that it receives no writes from now on.
	 */
	void cutReplicaOff() {
		this.replica.pause();
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.master.port()));
		try {
			// The replica would read data later that was sent before.
			client.connect().sync().clientKill(KillArgs.Builder.typeSlave());
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	void stop() {
		this.sentinel.kill();
		this.replica.kill();
		this.master.kill();
	}

}
