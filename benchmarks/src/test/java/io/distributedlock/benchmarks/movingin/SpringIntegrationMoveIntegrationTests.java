package io.distributedlock.benchmarks.movingin;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.util.CheckedCallable;

import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.Scopes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the code of the guide for Spring Integration: a registry of both locks excludes
 * the old and the new registry, and these two do not exclude each other.
 */
class SpringIntegrationMoveIntegrationTests {

	private static final String KEY = "order:42";

	private static final String[] PROPERTIES = { "lock.backend=redis", "spring.data.redis.port=" + RedisServer.port() };

	private static Instance old;

	private static Instance both;

	private static Instance latest;

	@BeforeAll
	static void start() {
		old = Instance.start(OldVersion.class, PROPERTIES);
		both = Instance.start(BothVersion.class, PROPERTIES);
		latest = Instance.start(Version.class, PROPERTIES);
	}

	@AfterAll
	static void close() {
		latest.close();
		both.close();
		old.close();
	}

	@Test
	void theNewRegistryIsUsedIfThereIsNoOther() {
		assertThat(latest.bean(LockRegistry.class)).isInstanceOf(LeaseLockRegistry.class);
		assertThat(both.bean(LockRegistry.class)).isNotInstanceOf(LeaseLockRegistry.class);
		assertThat(old.bean(LockRegistry.class)).isInstanceOf(RedisLockRegistry.class);
	}

	@Test
	void anOldInstanceKeepsOneWithBothLocksOut() {
		assertThat(excludes(old, both)).isTrue();
	}

	@Test
	void anInstanceWithBothLocksKeepsOldAndNewOnesOut() {
		assertThat(excludes(both, old)).isTrue();
		assertThat(excludes(both, latest)).isTrue();
	}

	@Test
	void aNewInstanceKeepsOneWithBothLocksOut() {
		assertThat(excludes(latest, both)).isTrue();
		// The old lock was given back.
		assertThat(excludes(both, old)).isTrue();
	}

	@Test
	void oldAndNewInstancesDoNotExcludeEachOther() {
		assertThat(excludes(old, latest)).isFalse();
	}

	@Test
	void bothLocksAreEnteredAgainAndGivenBackTogether() throws InterruptedException {
		Lock lock = lock(both);

		lock.lockInterruptibly();
		assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		lock.unlock();

		assertThat(canLock(old)).isTrue();
		assertThat(canLock(latest)).isTrue();
	}

	@Test
	void codeStaysTheSameInAllThreeVersions() throws InterruptedException {
		AtomicBoolean held = new AtomicBoolean();
		for (Instance instance : new Instance[] { old, both, latest }) {
			new Code(registry(instance), (orderId) -> held.set(!canLock(instance))).ship();

			assertThat(held).isTrue();
			assertThat(canLock(instance)).isTrue();
		}
	}

	private static boolean excludes(Instance holder, Instance other) {
		Lock lock = lock(holder);
		lock.lock();
		try {
			return !canLock(other);
		}
		finally {
			lock.unlock();
		}
	}

	private static boolean canLock(Instance instance) {
		AtomicBoolean locked = new AtomicBoolean();
		Instance.elsewhere(() -> {
			Lock lock = lock(instance);
			if (lock.tryLock()) {
				locked.set(true);
				lock.unlock();
			}
		});
		return locked.get();
	}

	private static Lock lock(Instance instance) {
		return registry(instance).obtain(KEY);
	}

	private static LockRegistry<?> registry(Instance instance) {
		return instance.bean(LockRegistry.class);
	}

	private record Code(LockRegistry<?> registry, Orders orders) {

		void ship() throws InterruptedException {
			// tag::integration-code[]
			Lock lock = this.registry.obtain("order:42");
			if (lock.tryLock(5, TimeUnit.SECONDS)) {
				try {
					this.orders.ship(42);
				}
				finally {
					lock.unlock();
				}
			}
			// end::integration-code[]
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Version {

	}

	@Configuration(proxyBeanMethods = false)
	static class OldVersion extends Version {

		// tag::integration-before[]
		@Bean
		RedisLockRegistry lockRegistry(RedisConnectionFactory connectionFactory) {
			return new RedisLockRegistry(connectionFactory, "shop", Duration.ofSeconds(60));
		}
		// end::integration-before[]

	}

	@Configuration(proxyBeanMethods = false)
	static class BothVersion extends Version {

		// tag::integration-both[]
		@Bean(defaultCandidate = false)
		RedisLockRegistry oldLockRegistry(RedisConnectionFactory connectionFactory) {
			return new RedisLockRegistry(connectionFactory, "shop", Duration.ofSeconds(60));
		}

		@Bean
		LockRegistry<Lock> lockRegistry(@Qualifier("oldLockRegistry") RedisLockRegistry old, Scopes scopes) {
			LeaseLockRegistry ours = new LeaseLockRegistry(scopes, Duration.ofSeconds(60));
			return (key) -> new BothLocks(old.obtain(key), ours.obtain(key));
		}
		// end::integration-both[]

	}

	// tag::integration-both-locks[]
	record BothLocks(Lock old, Lock ours) implements Lock {

		@Override
		public void lock() {
			this.old.lock();
			andOurs(() -> {
				this.ours.lock();
				return true;
			});
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			this.old.lockInterruptibly();
			andOurs(() -> {
				this.ours.lockInterruptibly();
				return true;
			});
		}

		@Override
		public boolean tryLock() {
			return this.old.tryLock() && andOurs(this.ours::tryLock);
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return this.old.tryLock(time, unit) && andOurs(() -> this.ours.tryLock(time, unit));
		}

		@Override
		public void unlock() {
			try {
				this.ours.unlock();
			}
			finally {
				this.old.unlock();
			}
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException();
		}

		private <X extends Exception> boolean andOurs(CheckedCallable<Boolean, X> attempt) throws X {
			boolean locked = false;
			try {
				locked = attempt.call();
				return locked;
			}
			finally {
				if (!locked) {
					this.old.unlock();
				}
			}
		}

	}
	// end::integration-both-locks[]

}
