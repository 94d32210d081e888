package io.distributedlock.it.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.StaleTokenException;
import io.distributedlock.fencing.RedisFencingGuard;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The guard of values in Redis, on one server and on a Cluster.
 */
@ParameterizedClass
@EnumSource
class RedisFencingGuardIntegrationTests {

	@Parameter
	Server server;

	private final String key = RedisTestClient.newKey();

	private RedisFencingGuard guard() {
		return new RedisFencingGuard(this.server.factory());
	}

	private StringRedisTemplate redis() {
		return new StringRedisTemplate(this.server.factory());
	}

	@Test
	void staleTokenWritesNothing() {
		guard().set(this.key, "new", 1_780_000_000_000_001L);

		assertThatThrownBy(() -> guard().set(this.key, "old", 1_780_000_000_000_000L))
			.isInstanceOfSatisfying(StaleTokenException.class, (ex) -> assertThat(ex.resource()).isEqualTo(this.key));
		assertThatThrownBy(() -> guard().delete(this.key, 1_780_000_000_000_000L))
			.isInstanceOf(StaleTokenException.class);

		assertThat(redis().opsForValue().get(this.key)).isEqualTo("new");
		guard().set(this.key, "newer", 1_780_000_000_000_001L);
		assertThat(redis().opsForValue().get(this.key)).isEqualTo("newer");
	}

	@Test
	void tokensAreComparedAsNumbersOfAnyLength() {
		guard().set(this.key, "9", 9);
		guard().set(this.key, "10", 10);
		assertThatThrownBy(() -> guard().set(this.key, "9", 9)).isInstanceOf(StaleTokenException.class);
		guard().set(this.key, "most", Long.MAX_VALUE);

		assertThatThrownBy(() -> guard().set(this.key, "less", Long.MAX_VALUE - 1))
			.isInstanceOf(StaleTokenException.class);
		assertThatIllegalArgumentException().isThrownBy(() -> guard().set(this.key, "none", -1));
	}

	@Test
	void tokenStaysWhenTheValueIsDeletedOrExpires() {
		guard().set(this.key, "value", 2, Duration.ofMillis(1));
		guard().delete(this.key, 2);

		assertThat(redis().hasKey(this.key)).isFalse();
		assertThatThrownBy(() -> guard().set(this.key, "late", 1)).isInstanceOf(StaleTokenException.class);
	}

	@Test
	void valueExpiresAsRequestedAndTheNextOneDoesNot() {
		guard().set(this.key, "value", 1, Duration.ofMinutes(1));
		assertThat(redis().getExpire(this.key)).isBetween(1L, 60L);

		guard().set(this.key, "value", 1);

		assertThat(redis().getExpire(this.key)).isEqualTo(-1);
	}

	@Test
	void tokenIsRememberedForAsLongAsRequested() {
		new RedisFencingGuard(this.server.factory(), Duration.ofMinutes(1)).set(this.key, "value", 1);

		assertThat(redis().getExpire("{" + this.key + "}:token")).isBetween(1L, 60L);
	}

	@Test
	void lateWriteOfAHolderThatStoodStillIsRefused() {
		try (RedisTestClient client = new RedisTestClient(this.server.factory())) {
			LeaseGrant stale = client.acquire(this.key);
			client.connection().forceRelease(this.key, Duration.ZERO).toCompletableFuture().join();
			LeaseGrant next = client.acquire(this.key);
			String value = "value:" + this.key;
			guard().set(value, "next", next.token().first());

			assertThatThrownBy(() -> guard().set(value, "late", stale.token().last()))
				.isInstanceOf(StaleTokenException.class);

			assertThat(redis().opsForValue().get(value)).isEqualTo("next");
		}
	}

	enum Server {

		LETTUCE, JEDIS, CLUSTER;

		RedisConnectionFactory factory() {
			return switch (this) {
				case LETTUCE -> RedisServer.lettuce();
				case JEDIS -> RedisServer.jedis();
				case CLUSTER -> RedisCluster.lettuce();
			};
		}

	}

}
