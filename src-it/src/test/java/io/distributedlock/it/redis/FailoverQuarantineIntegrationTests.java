package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that restarts without its data, with applications that have configured a
 * quarantine and with some that have not.
 */
@Execution(ExecutionMode.CONCURRENT)
class FailoverQuarantineIntegrationTests {

	private static final Duration MIN_HOLD = Duration.ofMinutes(5);

	private final RedisProcess server = RedisProcess.start();

	private final String key = RedisTestClient.newKey();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + this.server.port(), "spring.data.redis.host=127.0.0.1");

	private final ApplicationContextRunner quarantined = this.runner
		.withPropertyValues("lock.redis.failover-quarantine=true", "lock.redis.max-ttl=3s", "lock.ttl=3s");

	@AfterEach
	void end() {
		this.server.kill();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void holderKeepsByRenewalWhatTheServerHasForgottenAndNoOtherGetsIt(String driver) {
		twoApplications(this.quarantined.withPropertyValues("spring.data.redis.client-type=" + driver),
				(holder, other) -> {
					Lease lease = awaitGrant(holder, this.key);
					this.server.kill();
					this.server.restart();

					List<String> refusals = new ArrayList<>();
					Awaitility.await("the end of the quarantine").atMost(Duration.ofSeconds(60)).until(() -> {
						assertThat(attempt(other, this.key, refusals)).as("the lock that is held").isEmpty();
						return attempt(other, RedisTestClient.newKey(), refusals).isPresent();
					});

					assertThat(refusals).anyMatch((refusal) -> refusal.contains("grants no lock until"));
					lease.verify();
					assertThat(other.tryAcquire(this.key)).isEmpty();
					assertThat(lease.release()).isTrue();
					assertThat(other.acquire(this.key).fencingToken()).isGreaterThan(lease.fencingToken());
				});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void membersKeepByRenewalWhatTheServerHasForgotten(String driver) {
		twoApplications(this.quarantined.withPropertyValues("spring.data.redis.client-type=" + driver),
				(holder, other) -> {
					LockRequest readers = LockRequest.of(this.key).shared();
					LockRequest permits = LockRequest.of(RedisTestClient.newKey()).permits(2);
					Lease reader = awaitGrant(holder, readers);
					List<Lease> holders = List.of(awaitGrant(holder, permits), awaitGrant(other, permits));
					this.server.kill();
					this.server.restart();

					List<String> refusals = new ArrayList<>();
					Awaitility.await("the end of the quarantine").atMost(Duration.ofSeconds(60)).until(() -> {
						assertThat(attempt(other, LockRequest.of(this.key), refusals)).as("a writer").isEmpty();
						assertThat(attempt(other, permits, refusals)).as("a third permit").isEmpty();
						return attempt(other, LockRequest.of(RedisTestClient.newKey()), refusals).isPresent();
					});

					assertThat(refusals).anyMatch((refusal) -> refusal.contains("grants no lock until"));
					reader.verify();
					holders.forEach(Lease::verify);
					assertThat(other.tryAcquire(LockRequest.of(this.key))).isEmpty();
					assertThat(other.tryAcquire(permits)).isEmpty();
					assertThat(other.tryAcquire(readers)).isPresent().get().satisfies((second) -> {
						assertThat(second.fencingToken()).isGreaterThan(reader.fencingToken());
						assertThat(reader.release()).isTrue();
						assertThat(holder.tryAcquire(LockRequest.of(this.key))).isEmpty();
						assertThat(second.release()).isTrue();
					});
					assertThat(holders).allSatisfy((lease) -> assertThat(lease.release()).isTrue());
					assertThat(holder.acquire(this.key).fencingToken()).isGreaterThan(reader.fencingToken());
				});
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PERMITS")
	void severalKeysAreKeptByRenewalAndReleased(LockMode mode) {
		twoApplications(this.quarantined, (holder, other) -> {
			LockRequest several = LockRequest.of(List.of(this.key, RedisTestClient.newKey()));
			LockRequest wanted = (mode == LockMode.SHARED) ? several.shared() : several;
			Lease lease = awaitGrant(holder, wanted);
			this.server.kill();
			this.server.restart();

			List<String> refusals = new ArrayList<>();
			Awaitility.await("the end of the quarantine").atMost(Duration.ofSeconds(60)).until(() -> {
				assertThat(attempt(other, several, refusals)).as("keys that are held").isEmpty();
				return attempt(other, LockRequest.of(RedisTestClient.newKey()), refusals).isPresent();
			});

			assertThat(refusals).anyMatch((refusal) -> refusal.contains("grants no lock until"));
			lease.verify();
			lease.keys().forEach((each) -> assertThat(other.tryAcquire(each)).isEmpty());
			assertThat(lease.release()).isTrue();
			assertThat(other.acquire(several).fencingToken(this.key)).isGreaterThan(lease.fencingToken(this.key));
		});
	}

	@Test
	void memberThatIsReleasedUnderQuarantineWasHeldToItsEnd() {
		twoApplications(this.quarantined, (holder, other) -> {
			LockRequest readers = LockRequest.of(this.key).shared();
			Lease lease = awaitGrant(holder, readers);
			Lease brief = awaitGrant(holder, LockRequest.of(RedisTestClient.newKey()).permits(1).minHold(MIN_HOLD));
			RedisCluster.with(this.server.port(), (commands) -> commands.flushall());
			List<String> refusals = new ArrayList<>();
			Awaitility.await("the quarantine").pollInterval(Duration.ofMillis(10)).until(() -> {
				attempt(other, readers, refusals);
				return refusals.stream().anyMatch((refusal) -> refusal.contains("grants no lock until"));
			});

			assertThat(lease.release()).isTrue();
			assertThat(brief.release()).isTrue();

			assertThat(awaitGrant(other, this.key).fencingToken()).isPositive();
			assertThat(other.tryAcquire(LockRequest.of(brief.key()).permits(1))).isEmpty();
		});
	}

	@Test
	void withoutTheQuarantineTheLockIsGrantedBesideItsHolder() {
		// Longer than this test takes, so that no renewal comes before the grant.
		twoApplications(this.runner.withPropertyValues("lock.ttl=10m"), (holder, other) -> {
			Lease lease = awaitGrant(holder, this.key);
			this.server.kill();
			this.server.restart();

			Awaitility.await("the second grant")
				.atMost(Duration.ofSeconds(60))
				.until(() -> attempt(other, this.key, new ArrayList<>()).isPresent());

			// The holder learns of the loss by its next renewal.
			assertThat(lease.isHeld()).isTrue();
		});
	}

	@Test
	void leaseThatIsReleasedUnderQuarantineWasHeldToItsEnd() {
		twoApplications(this.quarantined, (holder, other) -> {
			Lease lease = awaitGrant(holder, this.key);
			this.server.kill();
			this.server.restart();
			List<String> refusals = new ArrayList<>();
			Awaitility.await("the quarantine").pollInterval(Duration.ofMillis(10)).until(() -> {
				attempt(other, this.key, refusals);
				return refusals.stream().anyMatch((refusal) -> refusal.contains("grants no lock until"));
			});

			assertThat(lease.release()).isTrue();

			assertThat(awaitGrant(other, this.key).fencingToken()).isGreaterThan(lease.fencingToken());
		});
	}

	@Test
	void flushIsAQuarantineToo() {
		twoApplications(this.quarantined, (holder, other) -> {
			Lease lease = awaitGrant(holder, this.key);

			RedisCluster.with(this.server.port(), (commands) -> commands.flushall());

			List<String> refusals = new ArrayList<>();
			assertThat(attempt(other, this.key, refusals)).isEmpty();
			assertThat(refusals).singleElement().asString().contains("grants no lock until");
			awaitGrant(other, RedisTestClient.newKey());
			lease.verify();
			assertThat(other.tryAcquire(this.key)).isEmpty();
		});
	}

	@Test
	void noLeaseIsLongerThanTheLongestTtl() {
		twoApplications(this.quarantined, (holder, other) -> {
			Lease lease = awaitGrant(holder, this.key);

			assertThatExceptionOfType(InvalidLockRequestException.class)
				.isThrownBy(() -> holder.acquire(LockRequest.of("other").ttl(Duration.ofSeconds(4))))
				.withMessageContaining("PT3S");
			assertThatExceptionOfType(InvalidLockRequestException.class)
				.isThrownBy(() -> lease.extend(Duration.ofSeconds(4)))
				.withMessageContaining("lock.redis.max-ttl");
			assertThat(lease.isHeld()).isTrue();
		});
	}

	@Test
	void minimumHoldIsKeptHoweverLong() {
		twoApplications(this.quarantined, (holder, other) -> {
			awaitGrant(holder, this.key).release();

			assertThat(holder.acquire(LockRequest.of(this.key).minHold(Duration.ofHours(1))).release()).isTrue();

			Long rest = new StringRedisTemplate(RedisFactories.lettuce(this.server.port()))
				.getExpire("lock:{" + this.key + "}");
			assertThat(rest).isGreaterThan(Duration.ofMinutes(59).toSeconds());
			assertThat(other.tryAcquire(this.key)).isEmpty();
		});
	}

	@Test
	void anotherLongestTtlIsRefused() {
		this.quarantined.run((first) -> this.quarantined.withPropertyValues("lock.redis.max-ttl=5s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("lock.redis.max-ttl of 3000 ms, and here it is 5000 ms")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterEndsTheStart(String driver) {
		this.quarantined
			.withPropertyValues("spring.data.redis.client-type=" + driver,
					"spring.data.redis.cluster.nodes=127.0.0.1:" + RedisCluster.ports().get(0))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("lock.redis.failover-quarantine is not possible with a Redis Cluster"));
	}

	@Test
	void userWithoutTheRightToAskEndsTheStart() {
		RedisCluster.with(this.server.port(), (commands) -> {
			SecuredRedis.RULE.with("+info").create(commands);
			SecuredRedis.RULE.create(commands);
		});

		this.quarantined.withPropertyValues("spring.data.redis.username=withinfo", "spring.data.redis.password=secret")
			.run((context) -> assertThat(context).hasNotFailed());
		this.quarantined.withPropertyValues("spring.data.redis.username=locks", "spring.data.redis.password=secret")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("can't keep the locks: It failed at taking a lock: "
						+ "The quarantine of lock.redis.failover-quarantine is not possible. "
						+ "The Redis of the locks refuses INFO to the user 'locks' of the locks, which the script "
						+ "'quarantine' needs; add '+info' to the user's ACL rule."));
	}

	private static void twoApplications(ApplicationContextRunner runner, BiConsumer<LockTemplate, LockTemplate> work) {
		runner.run((holder) -> runner
			.run((other) -> work.accept(holder.getBean(LockTemplate.class), other.getBean(LockTemplate.class))));
	}

	private static Lease awaitGrant(LockTemplate locks, String key) {
		return awaitGrant(locks, LockRequest.of(key));
	}

	private static Lease awaitGrant(LockTemplate locks, LockRequest request) {
		return Awaitility.await("a grant after the quarantine")
			.atMost(Duration.ofSeconds(60))
			.until(() -> attempt(locks, request, new ArrayList<>()), Optional::isPresent)
			.orElseThrow();
	}

	private static Optional<Lease> attempt(LockTemplate locks, String key, List<String> refusals) {
		return attempt(locks, LockRequest.of(key), refusals);
	}

	private static Optional<Lease> attempt(LockTemplate locks, LockRequest request, List<String> refusals) {
		try {
			return locks.tryAcquire(request);
		}
		catch (LockUnavailableException ex) {
			refusals.add(String.valueOf(ex.getMessage()));
			return Optional.empty();
		}
	}

}
