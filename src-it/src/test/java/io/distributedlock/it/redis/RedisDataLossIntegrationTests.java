package io.distributedlock.it.redis;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that loses all data. Its locks are granted again, with greater tokens, and
 * their former holders are notified of the loss.
 */
class RedisDataLossIntegrationTests {

	private final RedisProcess server = RedisProcess.start();

	private final LettuceConnectionFactory factory = RedisFactories.lettuce(this.server.port());

	private final RedisTestClient holder = new RedisTestClient(this.factory);

	private final RedisTestClient other = new RedisTestClient(this.factory);

	private final String key = RedisTestClient.newKey();

	@AfterEach
	void end() {
		this.holder.close();
		this.other.close();
		this.factory.destroy();
		this.server.close();
	}

	@Test
	void flushedLockIsGrantedAgainWithAGreaterTokenAndLostForItsHolder() {
		LeaseGrant grant = this.holder.acquire(this.key);

		try (RedisConnection connection = this.factory.getConnection()) {
			connection.serverCommands().flushAll();
		}

		LeaseGrant next = this.other.acquire(this.key);
		assertThat(next.token().first()).isGreaterThan(grant.token().last());
		assertThat(this.holder.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.holder.release(grant)).isFalse();
		assertThat(this.other.renew(next, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

}
