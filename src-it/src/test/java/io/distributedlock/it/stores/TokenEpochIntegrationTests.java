package io.distributedlock.it.stores;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.LockInfo;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockLeaderElectionAutoConfiguration;
import io.distributedlock.autoconfigure.LockRegistryAutoConfiguration;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.epoch.TokenEpochBackend;
import io.distributedlock.epoch.TokenEpochException;
import io.distributedlock.integration.LeaderElection;
import io.distributedlock.integration.Leadership;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for the token epoch at every store.
 */
@FurtherTopology
class TokenEpochIntegrationTests {

	private static final String KEY = "order:42";

	private final String prefix = "lock.key-prefix=" + UUID.randomUUID() + ":";

	static Stream<SharedStore> stores() {
		boolean etcd = EtcdServer.isThereFor(TokenEpochIntegrationTests.class);
		return Stream.of(SharedStore.values()).filter((store) -> etcd || store != SharedStore.ETCD);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void everyTokenHasTheEpochAndInstancesWithAnotherAreRefused(SharedStore store) {
		try (ConfigurableApplicationContext context = start(store, 5, "lock.leader-election.roles=reports",
				"lock.leader-election.heart-beat=200ms")) {
			leaseHasTheEpochWhateverIsDoneToIt(context);
			leasesThatArePassedOnHaveTheEpoch(context);
			frontEndsHaveTheEpoch(context);

			assertThatThrownBy(() -> start(store, 4).close())
				.hasRootCauseMessage("'lock.token-epoch' is 4 here, but the store '" + store.storeName()
						+ "' is at token epoch 5; instances with an earlier epoch get no locks there");
			try (ConfigurableApplicationContext raising = start(store, 6);
					ConfigurableApplicationContext other = start(store, 6)) {
				assertThat(raising.isRunning()).as("whether an instance starts that has to wait").isTrue();
				epochIsRaisedWhileTheStoreIsInUse(store, backend(raising), backend(other));
			}
		}
	}

	private void leaseHasTheEpochWhateverIsDoneToIt(ConfigurableApplicationContext context) {
		LockTemplate template = context.getBean(LockTemplate.class);
		Locks locks = context.getBean(Locks.class);
		Lease lease = template.acquire(KEY);
		assertThat(lease.fencingToken() >> 56).isEqualTo(5);
		lease.verify();
		lease.extend(Duration.ofSeconds(50));
		assertThat(locks.find(KEY)).map(LockInfo::fencingToken)
			.hasValueSatisfying((token) -> assertThat(token).isGreaterThanOrEqualTo(lease.fencingToken()));
		assertThat(locks.list()).filteredOn((info) -> info.key().equals(KEY))
			.singleElement()
			.satisfies((info) -> assertThat(info.fencingToken() >> 56).isEqualTo(5));
		assertThat(lease.release()).isTrue();

		Lease next = template.acquire(KEY);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(locks.forceRelease(KEY)).isTrue();
		assertThat(next.isHeld()).isFalse();
	}

	private void leasesThatArePassedOnHaveTheEpoch(ConfigurableApplicationContext context) {
		LockTemplate template = context.getBean(LockTemplate.class);
		List<Long> tokens = new ArrayList<>();
		CompletableFuture<?>[] threads = IntStream.range(0, 4).mapToObj((index) -> CompletableFuture.runAsync(() -> {
			for (int i = 0; i < 10; i++) {
				// Guarded by the lock.
				template.execute(KEY, (lease) -> tokens.add(lease.fencingToken()));
			}
		})).toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(threads).orTimeout(1, TimeUnit.MINUTES).join();

		assertThat(tokens).hasSize(40)
			.isSorted()
			.doesNotHaveDuplicates()
			.allSatisfy((token) -> assertThat(token >> 56).isEqualTo(5));
	}

	private void frontEndsHaveTheEpoch(ConfigurableApplicationContext context) {
		assertThat(context.getBean(Numbered.class).token() >> 56).isEqualTo(5);

		Lock lock = context.getBean(LeaseLockRegistry.class).obtain(KEY);
		lock.lock();
		assertThat(context.getBean(Locks.class).find(KEY).orElseThrow().fencingToken() >> 56).isEqualTo(5);
		lock.unlock();

		LeaderElection election = context.getBean(LeaderElection.class);
		Leadership leadership = Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> election.leadership("reports").orElse(null), (found) -> found != null);
		assertThat(leadership.fencingToken() >> 56).isEqualTo(5);
	}

	/**
	 * Raise the epoch with clocks that only the epochs use.
	 */
	private void epochIsRaisedWhileTheStoreIsInUse(SharedStore store, LockBackend first, LockBackend second) {
		SteppedClock clock = new SteppedClock();
		try (BackendConnection old = connection(store, first, 6, clock);
				BackendConnection next = connection(store, second, 7, clock)) {
			epochIsRaised(store, old, next, clock);
		}
	}

	private static BackendConnection connection(SharedStore store, LockBackend backend, int epoch, LockClock clock) {
		return TokenEpochBackend.of(store.storeName(), backend, new TokenEpoch(epoch), clock, true)
			.connect((ownerId) -> {
			});
	}

	private static void epochIsRaised(SharedStore store, BackendConnection old, BackendConnection next,
			SteppedClock clock) {
		assertThat(unavailable(old)).isInstanceOf(QuarantineException.class);
		clock.step(Duration.ofSeconds(60));
		assertThat(unavailable(old)).as("the wait is as long as answers count, and longer")
			.isInstanceOf(QuarantineException.class);
		clock.step(Duration.ofSeconds(2));
		LeaseGrant last = granted(old, KEY);
		LeaseGrant held = granted(old, "order:43");
		assertThat(last.token().first() >> 56).isEqualTo(6);
		assertThat(release(old, last)).isTrue();

		assertThat(unavailable(next)).isInstanceOf(QuarantineException.class);
		LeaseGrant meanwhile = granted(old, KEY);
		assertThat(meanwhile.token().first()).isGreaterThan(last.token().last());
		assertThat(release(old, meanwhile)).isTrue();
		clock.step(Duration.ofSeconds(64));
		LeaseGrant raised = granted(next, KEY);

		assertThat(raised.token().first() >> 56).isEqualTo(7);
		assertThat(release(next, raised)).isTrue();
		assertThat(unavailable(old)).isInstanceOf(TokenEpochException.class)
			.hasMessage("'lock.token-epoch' is 6 here, but the store '" + store.storeName()
					+ "' is at token epoch 7; instances with an earlier epoch get no locks there");
		assertThat(get(old.renew(List.of(new Renewal(held, Duration.ofSeconds(30))))))
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(release(old, held)).isTrue();
	}

	private static LockBackend backend(ConfigurableApplicationContext context) {
		return ((TokenEpochBackend) context.getBean(LockEngine.class).backend()).delegate();
	}

	private static AttemptOutcome attempt(BackendConnection store, String key) {
		// After a release the lock may stay busy on some of several nodes for a moment.
		return Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			LeaseRequest request = new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), 1, null, false,
					Duration.ofSeconds(5), Duration.ZERO);
			return get(store.contend(LockTarget.exclusive(key), () -> {
			}).attempt(request));
		}, (outcome) -> !(outcome instanceof AttemptOutcome.Busy));
	}

	private static LeaseGrant granted(BackendConnection store, String key) {
		AttemptOutcome outcome = attempt(store, key);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private static Throwable unavailable(BackendConnection store) {
		AttemptOutcome outcome = attempt(store, KEY);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
		return ((AttemptOutcome.Unavailable) outcome).cause();
	}

	private static boolean release(BackendConnection store, LeaseGrant grant) {
		return get(store.release(grant, Duration.ZERO));
	}

	private static <T> T get(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	private ConfigurableApplicationContext start(SharedStore store, int epoch, String... more) {
		List<String> all = new ArrayList<>(store.properties());
		all.addAll(List.of("spring.config.name=none", "spring.jmx.enabled=false", "spring.main.banner-mode=off",
				"logging.level.io.etcd.jetcd.impl=error", "lock.token-epoch=" + epoch, this.prefix));
		all.addAll(List.of(more));
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run(all.stream().map((property) -> "--" + property).toArray(String[]::new));
	}

	/**
	 * A clock whose time differs from the one by which it waits.
	 */
	private static final class SteppedClock implements LockClock {

		private final LockClock real = new SystemLockClock();

		private final AtomicLong ahead = new AtomicLong();

		void step(Duration duration) {
			this.ahead.addAndGet(duration.toNanos());
		}

		@Override
		public long nanoTime() {
			return this.real.nanoTime() + this.ahead.get();
		}

		@Override
		public long wallMillis() {
			return this.real.wallMillis() + TimeUnit.NANOSECONDS.toMillis(this.ahead.get());
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			return this.real.schedule(delay, task);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockRegistryAutoConfiguration.class,
			LockLeaderElectionAutoConfiguration.class })
	static class Application {

		@Bean
		Numbered numbered() {
			return new Numbered();
		}

	}

	static class Numbered {

		@DistributedLock(name = "numbered", fenced = true)
		long token() {
			return LockContext.current().fencingToken();
		}

	}

}
