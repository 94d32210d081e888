package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM's client of a Redis, with shorthands.
 */
final class RedisTestClient implements AutoCloseable {

	static final String PREFIX = "lock:";

	/**
	 * Longer than any test.
	 */
	static final Duration TTL = Duration.ofSeconds(60);

	private static final String RUN = OwnerId.random().value().substring(0, 8);

	private static final AtomicLong KEYS = new AtomicLong();

	private final SystemLockClock clock = new SystemLockClock();

	private final RedisLockBackend backend;

	private final Duration callTimeout;

	private final Queue<LeaseGrant> contended = new ConcurrentLinkedQueue<>();

	private BackendConnection connection;

	RedisTestClient(RedisConnectionFactory factory) {
		this(factory, new RedisLockSettings(PREFIX, "test@host:1", Duration.ofSeconds(5), Duration.ofHours(1)));
	}

	RedisTestClient(RedisConnectionFactory factory, RedisLockSettings settings) {
		this.backend = new RedisLockBackend(factory, settings, this.clock);
		this.callTimeout = settings.callTimeout();
		this.connection = connect();
	}

	/**
	 * Return a key that no other test has used.
	 */
	static String newKey() {
		return "redis:" + RUN + ":" + KEYS.incrementAndGet();
	}

	private BackendConnection connect() {
		return this.backend.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
				// The tests ask.
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				RedisTestClient.this.contended.add(grant);
			}

		});
	}

	/**
	 * Return the leases that were reported as contended.
	 */
	Queue<LeaseGrant> contended() {
		return this.contended;
	}

	/**
	 * Connect again after the connection was closed.
	 */
	void reconnect() {
		this.connection = connect();
	}

	BackendConnection connection() {
		return this.connection;
	}

	LeaseRequest request(Duration ttl, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), ttl, 1, null, waiting, this.callTimeout, Duration.ZERO);
	}

	LeaseRequest request(Duration ttl, int permits, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), ttl, 1, permits, null, waiting, this.callTimeout, Duration.ZERO);
	}

	AttemptOutcome attempt(String key) {
		return attempt(key, request(TTL, false));
	}

	AttemptOutcome attempt(String key, LeaseRequest request) {
		return attempt(LockTarget.exclusive(key), request);
	}

	AttemptOutcome attempt(LockTarget target, LeaseRequest request) {
		Contender contender = this.connection.contend(target, () -> {
		});
		AttemptOutcome outcome = await(contender.attempt(request));
		contender.withdraw();
		return outcome;
	}

	LeaseGrant acquire(String key) {
		return acquire(key, TTL);
	}

	LeaseGrant acquire(String key, Duration ttl) {
		AttemptOutcome outcome = attempt(key, request(ttl, false));
		assertThat(outcome).as("an attempt on '%s', which nobody holds", key)
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	/**
	 * Enter a group as a reader.
	 */
	LeaseGrant read(String key) {
		return enter(key, 0, TTL);
	}

	/**
	 * Enter a group.
	 * @param permits the greatest number of members, zero for readers
	 */
	LeaseGrant enter(String key, int permits, Duration ttl) {
		AttemptOutcome outcome = attempt(group(key, permits), request(ttl, permits, false));
		assertThat(outcome).as("an attempt to enter '%s'", key).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	static LockTarget group(String key, int permits) {
		return LockTarget.of(key, (permits > 0) ? LockMode.PERMITS : LockMode.SHARED);
	}

	boolean release(LeaseGrant grant) {
		return release(grant, Duration.ZERO);
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return await(this.connection.release(grant, cooldown));
	}

	RenewalOutcome renew(LeaseGrant grant, Duration ttl) {
		return await(this.connection.renew(List.of(new Renewal(grant, ttl)))).get(0);
	}

	static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	@Override
	public void close() {
		this.connection.close();
		this.clock.close();
	}

}
