package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that uses twenty keys in different phases during a network outage. It
 * measures how long each key stays taken afterwards although it is not held.
 */
final class Outage {

	/**
	 * What happens to bytes.
	 */
	enum Kind {

		/**
		 * Requests arrive and answers do not.
		 */
		ANSWERS_LOST((proxy) -> proxy.answers().drop()),

		/**
		 * Requests do not arrive.
		 */
		REQUESTS_LOST((proxy) -> proxy.requests().drop()),

		/**
		 * Requests arrive when the outage is over, possibly after those that were sent
		 * later on new connections.
		 */
		REQUESTS_LATE((proxy) -> proxy.requests().hold());

		private final Consumer<TcpProxy> begin;

		Kind(Consumer<TcpProxy> begin) {
			this.begin = begin;
		}

	}

	private static final int KEYS = 20;

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final long LONG = Duration.ofSeconds(90).toNanos();

	private final Duration sessionTtl;

	private final Duration length;

	private final Kind kind;

	private final List<String> keys = new ArrayList<>();

	// Written by the test, read by the threads that use keys.
	private volatile boolean over;

	Outage(Duration sessionTtl, Duration length, Kind kind) {
		this.sessionTtl = sessionTtl;
		this.length = length;
		this.kind = kind;
		for (int i = 0; i < KEYS; i++) {
			this.keys.add(EtcdTestClient.newKey());
		}
	}

	/**
	 * Run the outage.
	 * @return how long the last key was taken after the end of the outage
	 */
	Duration run() {
		TcpProxy proxy = TcpProxy.to(EtcdServer.process().port());
		ExecutorService users = Executors.newCachedThreadPool();
		List<Duration> taken = new ArrayList<>();
		try (EtcdTestClient other = new EtcdTestClient(EtcdServer.client(),
				EtcdTestClient.settings(Duration.ofSeconds(60)))) {
			other.release(other.acquire(EtcdTestClient.newKey()));
			application("127.0.0.1:" + proxy.port()).run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				this.keys.forEach((key) -> template.acquire(key).release());
				this.keys.forEach((key) -> users.execute(() -> use(template, key)));
				pause(Duration.ofMillis(300));

				this.kind.begin.accept(proxy);
				pause(this.length.dividedBy(2));
				this.over = true;
				users.shutdown();
				pause(this.length.dividedBy(2));
				proxy.restore();

				long restored = System.nanoTime();
				taken.add(awaitAll(other, restored));
				assertThat(users.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
			});
		}
		finally {
			proxy.close();
		}
		return taken.get(0);
	}

	private ApplicationContextRunner application(String endpoint) {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=etcd", "lock.etcd.endpoints=" + endpoint, "lock.ttl=" + TTL.toMillis(),
					"lock.etcd.session-ttl=" + this.sessionTtl.toMillis(), "lock.handover.max-count=0");
	}

	private void use(LockTemplate template, String key) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		while (!this.over) {
			try {
				Lease lease = template.acquire(LockRequest.of(key).waitTime(Duration.ofMillis(random.nextInt(300))));
				pause(Duration.ofMillis(random.nextInt(150)));
				lease.release();
			}
			catch (LockException ex) {
				pause(Duration.ofMillis(50));
			}
		}
	}

	private Duration awaitAll(EtcdTestClient other, long since) {
		List<String> left = new ArrayList<>(this.keys);
		while (!left.isEmpty()) {
			assertThat(System.nanoTime() - since).as("keys that are not held and can't be obtained: %s", left)
				.isLessThan(LONG);
			left.removeIf((key) -> other.attempt(key) instanceof AttemptOutcome.Granted granted
					&& other.release(granted.grant()));
		}
		return Duration.ofNanos(System.nanoTime() - since);
	}

	private static void pause(Duration time) {
		long until = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
