package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hash slot on its way from one master to another: keys that exist are on the old one,
 * new ones go to the new one.
 */
class MovingSlotIntegrationTests {

	private final RedisTestClient client = new RedisTestClient(RedisCluster.lettuce());

	private final String key = RedisTestClient.newKey();

	private final int slot = SlotHash.getSlot("lock:{" + this.key + "}");

	private int from;

	private int to;

	@BeforeEach
	void findMasters() {
		int masters = RedisCluster.ports().size();
		int owner = 0;
		while (this.slot >= SlotHash.SLOT_COUNT * (owner + 1) / masters) {
			owner++;
		}
		this.from = RedisCluster.ports().get(owner);
		this.to = RedisCluster.ports().get((owner + 1) % masters);
	}

	@AfterEach
	void end() {
		settle();
		this.client.close();
	}

	private void move() {
		String source = id(this.from);
		String destination = id(this.to);
		RedisCluster.with(this.to, (commands) -> commands.clusterSetSlotImporting(this.slot, source));
		RedisCluster.with(this.from, (commands) -> commands.clusterSetSlotMigrating(this.slot, destination));
	}

	private void settle() {
		RedisCluster.with(this.from, (commands) -> commands.clusterSetSlotStable(this.slot));
		RedisCluster.with(this.to, (commands) -> commands.clusterSetSlotStable(this.slot));
	}

	private static String id(int port) {
		String[] id = new String[1];
		RedisCluster.with(port, (commands) -> id[0] = commands.clusterMyId());
		return id[0];
	}

	@Test
	void leaseIsRenewedAndReleasedWhileItsSlotMoves() {
		LeaseGrant grant = this.client.acquire(this.key);

		move();

		assertThat(this.client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.client.release(grant)).isFalse();
	}

	@Test
	void newLeasesOfAMovingSlotAreUnavailableAndNotBusy() {
		move();

		AttemptOutcome outcome = this.client.attempt(this.key);

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("TRYAGAIN"));
	}

	@Test
	void attemptThatBeganWhileTheSlotMovedIsGrantedWhenItStands() {
		move();
		Contender contender = this.client.backend().contend(LockTarget.exclusive(this.key), () -> {
		});
		CompletionStage<AttemptOutcome> attempt = contender.attempt(this.client.request(RedisTestClient.TTL, false));

		settle();

		assertThat(RedisTestClient.await(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

}
