package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

/**
 * An outage between one JVM and its servers, during which the JVM uses twenty keys in
 * different phases: attempts that are in progress, begin or end, waiters that give up,
 * and releases. After the outage the keys are not in use.
 */
final class ZooKeeperOutage implements AutoCloseable {

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final int KEYS = 20;

	private static final int PHASES = 4;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String root = "/outage-" + OwnerId.random().value().substring(0, 8);

	private final ZooKeeperTestEngine here;

	private final ZooKeeperTestEngine there;

	private final List<CompletionStage<?>> calls = new ArrayList<>();

	ZooKeeperOutage(Duration sessionTimeout) {
		int port = ZooKeeperServer.port();
		// Two routes, as to an ensemble: with one, the client waits for a second before
		// it reconnects.
		this.here = new ZooKeeperTestEngine(() -> ProxyRoute.to(port, port), this.root, sessionTimeout);
		this.there = new ZooKeeperTestEngine(() -> ProxyRoute.to(port), this.root, Duration.ofSeconds(30));
	}

	/**
	 * Lose the bytes of one direction for a time.
	 * @return how long it took after the outage until another JVM had obtained the last
	 * of the keys
	 */
	Result suffer(boolean answersAreLost, Duration outage) {
		List<Lease> held = new ArrayList<>();
		List<Lease> elsewhere = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			if (i % PHASES == 0) {
				held.add(this.here.template().acquire(request(i)));
			}
			else if (i % PHASES == 1) {
				elsewhere.add(this.there.template().acquire(request(i)));
				call(i, outage.dividedBy(2).multipliedBy(i).dividedBy(KEYS).plusMillis(100));
			}
		}
		this.here.template().acquire("warm").release();
		long session = this.here.client().handle().getSessionId();

		this.here.route().proxies().forEach((proxy) -> (answersAreLost ? proxy.answers() : proxy.requests()).drop());
		long begunAt = System.nanoTime();
		for (int i = 0; i < KEYS; i++) {
			if (i % PHASES == 2) {
				call(i, Duration.ofMillis(300));
			}
		}
		for (int i = 0; i < KEYS; i++) {
			pauseUntil(begunAt + outage.multipliedBy(i).dividedBy(KEYS).toNanos());
			if (i % PHASES == 0) {
				this.calls.add(held.remove(0).releaseAsync());
			}
			else if (i % PHASES == 1) {
				this.calls.add(elsewhere.remove(0).releaseAsync());
			}
			else if (i % PHASES == 3) {
				call(i, Duration.ofMillis(300));
			}
		}
		pauseUntil(begunAt + outage.toNanos());
		this.here.route().proxies().forEach((proxy) -> proxy.restore());
		long overAt = System.nanoTime();

		List<CompletableFuture<Duration>> had = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			had.add(this.there.template().acquireAsync(request(i).waitTime(PATIENCE)).thenApply((lease) -> {
				Duration after = Duration.ofNanos(System.nanoTime() - overAt);
				lease.releaseAsync();
				return after;
			}).toCompletableFuture());
		}
		Duration longest = had.stream()
			.map(CompletableFuture::join)
			.reduce(Duration.ZERO, (one, other) -> (one.compareTo(other) > 0) ? one : other);
		this.calls.forEach((call) -> call.handle((value, failure) -> true).toCompletableFuture().join());
		return new Result(longest, this.here.client().handle().getSessionId() == session);
	}

	private void call(int number, Duration waitTime) {
		this.calls.add(
				this.here.template().acquireAsync(request(number).waitTime(waitTime)).thenCompose(Lease::releaseAsync));
	}

	private static LockRequest request(int number) {
		return LockRequest.of("key-" + number).ttl(TTL);
	}

	private static void pauseUntil(long nanos) {
		long rest = nanos - System.nanoTime();
		if (rest > 0) {
			Awaitility.await().pollDelay(rest, TimeUnit.NANOSECONDS).until(() -> true);
		}
	}

	@Override
	public void close() {
		this.here.close();
		this.there.close();
	}

	/**
	 * The result of an outage.
	 *
	 * @param longest how long after it the last key was obtained
	 * @param sessionLivedOn whether the session outlived it
	 */
	record Result(Duration longest, boolean sessionLivedOn) {

		/**
		 * Return the time within which all keys have to be obtained.
		 */
		static Duration bound(Duration sessionTimeout, boolean sessionLivedOn) {
			Duration longer = (TTL.compareTo(sessionTimeout) > 0) ? TTL : sessionTimeout;
			Duration rest = Duration.ofSeconds(2);
			return sessionLivedOn ? rest : longer.plus(rest);
		}

	}

}
