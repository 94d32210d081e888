package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redis.RedisLockSettings.ReplicaAcks;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that a replica has to acknowledge.
 */
class ReplicaAcksIntegrationTests {

	private final RedisProcess master = RedisProcess.start("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1",
			String.valueOf(this.master.port()));

	private final String key = RedisTestClient.newKey();

	/**
	 * The master reports a replica as online before it has loaded the data that it was
	 * sent.
	 */
	@BeforeEach
	void awaitReplica() {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.master.port()));
		try {
			RedisCommands<String, String> redis = client.connect().sync();
			Awaitility.await("the replica").until(() -> {
				redis.set("ready", "yes");
				return redis.waitForReplication(1, 1000) == 1;
			});
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	@AfterEach
	void end() {
		this.replica.kill();
		this.master.kill();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void leaseThatTheReplicaHasIsGranted(String driver) {
		try (RedisTestClient client = patientClient(driver)) {
			for (int i = 0; i < 20; i++) {
				LeaseGrant grant = client.acquire(this.key);
				assertThat(new StringRedisTemplate(RedisFactories.lettuce(this.replica.port()))
					.hasKey("lock:{" + this.key + "}")).isTrue();
				assertThat(client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
				client.release(grant);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void leaseThatTooFewHaveIsUnavailableWhereThatIsStrict(String driver) {
		try (RedisTestClient client = patientClient(driver)) {
			client.release(client.acquire(this.key));
		}
		this.replica.pause();

		try (RedisTestClient client = client(driver, 1, ReplicaAcks.STRICT, Duration.ofSeconds(5))) {
			assertThat(client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> {
						assertThat(unavailable.sent()).isTrue();
						assertThat(unavailable.cause()).hasMessageContaining("Only 0 of 1 replicas");
					});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void leaseThatTooFewHaveIsGrantedWhereTheEffortIsEnough(String driver) {
		try (RedisTestClient client = client(driver, 2, ReplicaAcks.BEST_EFFORT, Duration.ofSeconds(5))) {
			LeaseGrant grant = client.acquire(this.key);

			assertThat(client.release(grant)).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void renewalThatTooFewHaveDoesNotCountWhereThatIsStrict(String driver) {
		try (RedisTestClient client = client(driver, 1, ReplicaAcks.STRICT, Duration.ofSeconds(5))) {
			List<Renewal> renewals = new ArrayList<>();
			for (int i = 0; i < 150; i++) {
				renewals.add(new Renewal(client.acquire(RedisTestClient.newKey()), RedisTestClient.TTL));
			}
			assertThat(RedisTestClient.await(client.connection().renew(renewals))).hasSize(150)
				.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			this.replica.pause();

			List<RenewalOutcome> outcomes = RedisTestClient.await(client.connection().renew(renewals));

			assertThat(outcomes).hasSize(150)
				.allSatisfy((outcome) -> assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
						(unknown) -> assertThat(unknown.cause()).hasMessageContaining("Only 0 of 1 replicas")));
			LeaseGrant grant = renewals.get(0).grant();
			assertThat(client.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(client.release(grant)).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void memberIsGrantedAndRenewedIfTheReplicaHasIt(String driver) {
		try (RedisTestClient client = patientClient(driver)) {
			LeaseGrant reader = client.read(this.key);
			LeaseGrant writer = client.acquire(RedisTestClient.newKey());
			assertThat(new StringRedisTemplate(RedisFactories.lettuce(this.replica.port())).opsForZSet()
				.size("lock:{" + this.key + "}:s")).isOne();
			List<Renewal> renewals = List.of(new Renewal(writer, RedisTestClient.TTL),
					new Renewal(reader, RedisTestClient.TTL));
			assertThat(RedisTestClient.await(client.connection().renew(renewals)))
				.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			this.replica.pause();

			assertThat(client.attempt(RedisTestClient.group(this.key, 0), client.request(RedisTestClient.TTL, false)))
				.isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
					assertThat(unavailable.sent()).isTrue();
					assertThat(unavailable.cause()).hasMessageContaining("Only 0 of 1 replicas");
				});
			assertThat(RedisTestClient.await(client.connection().renew(renewals)))
				.hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
			assertThat(client.renew(reader, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(client.release(reader)).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void renewalThatTooFewHaveCountsWhereTheEffortIsEnough(String driver) {
		try (RedisTestClient client = client(driver, 2, ReplicaAcks.BEST_EFFORT, Duration.ofSeconds(5))) {
			LeaseGrant grant = client.acquire(this.key);

			assertThat(client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		}
	}

	/**
	 * The driver sends the wait again over its next connection. That server has forgotten
	 * the lease, and its replica acknowledges all of its data, which is empty.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	@Tag("topology")
	void replicasOfAnotherServerAcknowledgeNothing(String driver) {
		try (RedisTestClient client = client(driver, 1, ReplicaAcks.STRICT, Duration.ofSeconds(30))) {
			client.release(client.acquire(RedisTestClient.newKey()));
			StringRedisTemplate redis = new StringRedisTemplate(RedisFactories.lettuce(this.master.port()));
			this.replica.pause();
			CompletionStage<AttemptOutcome> attempt = client.connection()
				.contend(LockTarget.exclusive(this.key), () -> {
				})
				.attempt(client.request(RedisTestClient.TTL, false));
			Awaitility.await("the script").until(() -> redis.hasKey("lock:{" + this.key + "}"));

			this.master.kill();
			this.master.restart();
			this.replica.resume();

			AttemptOutcome outcome = attempt.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.sent()).isTrue());
		}
	}

	/**
	 * A wait blocks its connection for a third of the call timeout.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void manyLeasesThatTooFewHaveAreGrantedTogetherWhereTheEffortIsEnough(String driver) {
		this.replica.kill();
		try (RedisTestClient client = client(driver, 1, ReplicaAcks.BEST_EFFORT, Duration.ofSeconds(9))) {
			List<CompletableFuture<AttemptOutcome>> attempts = begin(client, 8);

			assertThat(attempts).allSatisfy(
					(attempt) -> assertThat(RedisTestClient.await(attempt)).isInstanceOf(AttemptOutcome.Granted.class));
		}
	}

	/**
	 * Begin attempts on different keys.
	 */
	private static List<CompletableFuture<AttemptOutcome>> begin(RedisTestClient client, int number) {
		List<CompletableFuture<AttemptOutcome>> attempts = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			attempts.add(client.connection().contend(LockTarget.exclusive(RedisTestClient.newKey()), () -> {
			}).attempt(client.request(RedisTestClient.TTL, false)).toCompletableFuture());
		}
		return attempts;
	}

	/**
	 * Behind each attempt the driver sends a wait. Waits of attempts that have timed out
	 * would delay all later attempts on the next connection.
	 */
	@Test
	void waitsOfAttemptsThatHaveTimedOutAreNotSentAgain() {
		this.replica.kill();
		try (TcpProxy way = TcpProxy.to(this.master.port());
				RedisTestClient client = client(RedisFactories.lettuce(way.port()), 1, ReplicaAcks.BEST_EFFORT,
						Duration.ofSeconds(3))) {
			RedisTestClient.await(client.connection().find(this.key));
			way.silence();
			List<CompletableFuture<AttemptOutcome>> lost = begin(client, 3);

			assertThat(lost).allSatisfy((attempt) -> assertThat(RedisTestClient.await(attempt))
				.isInstanceOf(AttemptOutcome.Unavailable.class));

			Awaitility.await("an attempt that is granted")
				.atMost(Duration.ofSeconds(30))
				.until(() -> client.attempt(this.key) instanceof AttemptOutcome.Granted);
		}
	}

	private RedisTestClient patientClient(String driver) {
		return client(driver, 1, ReplicaAcks.STRICT, Duration.ofSeconds(15));
	}

	private RedisTestClient client(String driver, int acks, ReplicaAcks mode, Duration callTimeout) {
		RedisConnectionFactory factory = driver.equals("jedis") ? RedisFactories.jedis(this.master.port())
				: RedisFactories.lettuce(this.master.port());
		return client(factory, acks, mode, callTimeout);
	}

	private static RedisTestClient client(RedisConnectionFactory factory, int acks, ReplicaAcks mode,
			Duration callTimeout) {
		return new RedisTestClient(factory, new RedisLockSettings(RedisTestClient.PREFIX, "test@host:1", callTimeout,
				Duration.ofHours(1), acks, mode));
	}

}
