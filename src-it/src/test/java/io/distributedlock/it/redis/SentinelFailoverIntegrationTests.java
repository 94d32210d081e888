package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.ReadFrom;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redis.RedisLockSettings.ReplicaAcks;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A primary that dies, and a replica that a Sentinel promotes, with or without the last
 * lease.
 */
@FurtherTopology
class SentinelFailoverIntegrationTests {

	private static final Duration MAX_TTL = Duration.ofSeconds(3);

	private final RedisSentinel servers = RedisSentinel.start(Duration.ofSeconds(1));

	private final LettuceConnectionFactory factory = this.servers.lettuce(ReadFrom.REPLICA_PREFERRED);

	private final RedisTestClient holder = client();

	private final RedisTestClient other = client();

	private final String key = RedisTestClient.newKey();

	private RedisTestClient client() {
		return new RedisTestClient(this.factory, new RedisLockSettings(RedisTestClient.PREFIX, "test@host:1",
				Duration.ofSeconds(6), Duration.ofHours(1), 1, ReplicaAcks.BEST_EFFORT));
	}

	@AfterEach
	void end() {
		this.holder.close();
		this.other.close();
		this.servers.replica().resume();
		this.factory.destroy();
		this.servers.stop();
	}

	@Test
	void leaseThatTheReplicaHasAcknowledgedOutlivesThePrimary() {
		awaitReplica();
		LeaseGrant grant = this.holder.acquire(this.key);

		this.servers.master().kill();

		awaitAnswer(this.other);
		assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.holder.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.holder.release(grant)).isTrue();
		assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void leaseThatTheReplicaLacksIsGrantedAgainWithAGreaterTokenAndLostForItsHolder() {
		awaitReplica();
		this.holder.release(this.holder.acquire(this.key));
		this.servers.cutReplicaOff();
		LeaseGrant grant = this.holder.acquire(this.key);

		this.servers.master().kill();
		this.servers.replica().resume();

		awaitAnswer(this.other);
		LeaseGrant next = this.other.acquire(this.key);
		assertThat(next.token().first()).isGreaterThan(grant.token().last());
		assertThat(this.holder.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.holder.release(grant)).isFalse();
		assertThat(this.other.renew(next, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void leaseThatTheReplicaLacksIsPutBackByItsHolderWhileThePromotedReplicaIsUnderQuarantine() {
		awaitReplica();
		try (RedisTestClient keeper = quarantined(); RedisTestClient rival = quarantined()) {
			awaitQuarantined(keeper, AttemptOutcome.Granted.class);
			keeper.release(keeper.acquire(this.key, MAX_TTL));
			this.servers.cutReplicaOff();
			LeaseGrant grant = keeper.acquire(this.key, MAX_TTL);

			this.servers.master().kill();
			this.servers.replica().resume();

			awaitQuarantined(rival, AttemptOutcome.Unavailable.class);
			assertThat(keeper.renew(grant, MAX_TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			awaitQuarantined(rival, AttemptOutcome.Granted.class, () -> {
				assertThat(keeper.renew(grant, MAX_TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(rival.attempt(this.key, rival.request(MAX_TTL, false)))
					.isNotInstanceOf(AttemptOutcome.Granted.class);
			});
			assertThat(rival.attempt(this.key, rival.request(MAX_TTL, false))).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(keeper.release(grant)).isTrue();
			assertThat(rival.acquire(this.key, MAX_TTL).token().first()).isGreaterThan(grant.token().last());
		}
	}

	private RedisTestClient quarantined() {
		return new RedisTestClient(this.factory,
				new RedisLockSettings("quarantined:", "test@host:1", Duration.ofSeconds(2), Duration.ofHours(1))
					.withFailoverQuarantine(MAX_TTL));
	}

	private void awaitQuarantined(RedisTestClient client, Class<? extends AttemptOutcome> expected) {
		awaitQuarantined(client, expected, () -> {
		});
	}

	private void awaitQuarantined(RedisTestClient client, Class<? extends AttemptOutcome> expected,
			Runnable meanwhile) {
		Awaitility.await("an attempt that is " + expected.getSimpleName()).atMost(Duration.ofSeconds(60)).until(() -> {
			meanwhile.run();
			AttemptOutcome outcome = client.attempt(RedisTestClient.newKey(), client.request(MAX_TTL, false));
			return expected.isInstance(outcome) && (!(outcome instanceof AttemptOutcome.Unavailable unavailable)
					|| unavailable.cause().getMessage().contains("grants no lock until"));
		});
	}

	/**
	 * Wait for the replica, because the Sentinel promotes only a replica that it has seen
	 * working.
	 */
	private void awaitReplica() {
		Awaitility.await("the replica").atMost(Duration.ofSeconds(30)).until(this.servers::isReplicaKnown);
	}

	private void awaitAnswer(RedisTestClient client) {
		AtomicReference<AttemptOutcome> latest = new AtomicReference<>();
		try {
			Awaitility.await("the promotion").atMost(Duration.ofSeconds(60)).until(() -> {
				latest.set(client.attempt(RedisTestClient.newKey()));
				return latest.get() instanceof AttemptOutcome.Granted;
			});
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("The latest attempt was " + latest + ". " + this.servers.describe(), ex);
		}
	}

}
