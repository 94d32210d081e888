package io.distributedlock.it.redis;

import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks while a Cluster moves their slot from one master to another.
 */
@ParameterizedClass
@EnumSource
@FurtherTopology
class RedisReshardingIntegrationTests {

	@Parameter
	Driver driver;

	private final String key = RedisTestClient.newKey();

	private final String lock = RedisTestClient.PREFIX + "{" + this.key + "}";

	private final String counter = this.lock + ":c";

	private RedisTestClient client;

	private RedisTestClient other;

	@BeforeEach
	void open() {
		this.client = new RedisTestClient(this.driver.factory());
		this.other = new RedisTestClient(this.driver.factory());
	}

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@Test
	void leaseIsRenewedAndReleasedWhileItsKeysAreApart() {
		LeaseGrant grant = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.lock);

		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();

		slot.move(this.counter);
		slot.end();
		assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void heldLockIsNotGrantedWhileItsSlotMovesOrAfter() {
		LeaseGrant grant = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		assertThat(this.other.attempt(this.key)).isNotInstanceOf(AttemptOutcome.Granted.class);
		slot.move(this.lock);
		slot.move(this.counter);

		slot.end();

		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
	}

	@Test
	void attemptWhileKeysAreApartIsUnavailableAndTokensGoOnAfter() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.client.release(grant);
		LeaseGrant next = this.client.acquire(this.key);
		MovingSlot slot = new MovingSlot(this.lock);
		slot.move(this.lock);

		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);

		slot.move(this.counter);
		slot.end();
		assertThat(this.client.release(next)).isTrue();
		assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(next.token().last());
	}

	@Test
	void attemptThatBeganWhileTheSlotMovedIsGrantedWhenItHasMoved() {
		MovingSlot slot = new MovingSlot(this.lock);
		Contender contender = this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		CompletionStage<AttemptOutcome> attempt = contender.attempt(this.client.request(RedisTestClient.TTL, false));

		slot.end();

		assertThat(RedisTestClient.await(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	enum Driver {

		LETTUCE, JEDIS;

		RedisConnectionFactory factory() {
			return (this == LETTUCE) ? RedisCluster.lettuce() : RedisCluster.jedis();
		}

	}

}
