package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM's client of a database, with shorthands.
 */
public final class JdbcTestClient implements AutoCloseable {

	/**
	 * Longer than any test.
	 */
	public static final Duration TTL = Duration.ofSeconds(60);

	private final SystemLockClock clock = new SystemLockClock();

	private final JdbcLockBackend backend;

	private volatile BackendConnection connection;

	private final Duration callTimeout;

	private final Map<LeaseGrant, Duration> wanted = new ConcurrentHashMap<>();

	public JdbcTestClient(DataSource dataSource, JdbcLockSettings settings) {
		this.backend = new JdbcLockBackend(dataSource, settings, this.clock);
		this.callTimeout = settings.callTimeout();
		start();
	}

	/**
	 * Connect again, after {@link #stop()}.
	 */
	public void start() {
		this.connection = this.backend.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				JdbcTestClient.this.wanted.merge(grant, pollAfter,
						(one, next) -> (one.compareTo(next) > 0) ? one : next);
			}

		});
	}

	/**
	 * Close the connection. Later calls use the closed connection.
	 */
	public void stop() {
		this.connection.close();
	}

	public BackendConnection connection() {
		return this.connection;
	}

	/**
	 * Return the leases for which waiters were reported.
	 * @return all such leases until now
	 */
	public Set<LeaseGrant> wanted() {
		return this.wanted.keySet();
	}

	/**
	 * Return the longest reported times after which waiters poll again.
	 * @return a time for each lease for which waiters were reported
	 */
	public Collection<Duration> wantedAfter() {
		return this.wanted.values();
	}

	public SystemLockClock clock() {
		return this.clock;
	}

	CallDeadline deadline() {
		return CallDeadline.in(this.callTimeout, this.clock);
	}

	<T> StoreCall<T> call() {
		return new StoreCall<>("a test", this.callTimeout, this.clock);
	}

	public LeaseRequest request() {
		return new LeaseRequest(OwnerId.random(), TTL, 1, null, false, this.callTimeout, Duration.ZERO);
	}

	public LeaseRequest request(Duration ttl, int span) {
		return new LeaseRequest(OwnerId.random(), ttl, span, null, false, this.callTimeout, Duration.ZERO);
	}

	public LeaseRequest request(Instant tick) {
		return new LeaseRequest(OwnerId.random(), TTL, 1, tick, false, this.callTimeout, Duration.ZERO);
	}

	public LeaseRequest waiting() {
		return new LeaseRequest(OwnerId.random(), TTL, 1, null, true, this.callTimeout, Duration.ZERO);
	}

	public AttemptOutcome attempt(String key) {
		return attempt(key, request());
	}

	public AttemptOutcome attempt(String key, LeaseRequest request) {
		return await(this.connection.contend(LockTarget.exclusive(key), () -> {
		}).attempt(request));
	}

	/**
	 * Attempt to enter a group, without waiting.
	 * @param key the key
	 * @param permits the permits, zero for a shared lease
	 * @return the outcome
	 */
	public AttemptOutcome attempt(String key, int permits) {
		return attempt(key, permits, false);
	}

	public AttemptOutcome attempt(String key, int permits, boolean waiting) {
		return await(this.connection.contend(group(key, permits), () -> {
		}).attempt(request(permits, TTL, waiting)));
	}

	public LeaseRequest request(int permits, Duration ttl, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), ttl, 1, permits, null, waiting, this.callTimeout, Duration.ZERO);
	}

	public static LockTarget group(String key, int permits) {
		return LockTarget.of(key, (permits > 0) ? LockMode.PERMITS : LockMode.SHARED);
	}

	/**
	 * Enter a group.
	 * @param key the key
	 * @param permits the permits, zero for a shared lease
	 * @return the lease
	 */
	public LeaseGrant enter(String key, int permits) {
		return enter(key, permits, TTL);
	}

	public LeaseGrant enter(String key, int permits, Duration ttl) {
		AttemptOutcome outcome = await(this.connection.contend(group(key, permits), () -> {
		}).attempt(request(permits, ttl, false)));
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	public LeaseGrant acquire(String key) {
		return acquire(key, request());
	}

	public LeaseGrant acquire(String key, LeaseRequest request) {
		AttemptOutcome outcome = attempt(key, request);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	/**
	 * Attempt to take a lock at a database that does not answer in time. If the machine
	 * pauses, the time may be over before a statement was sent. The attempt is then
	 * repeated.
	 * @param key the key
	 * @param timeout the timeout
	 * @return the request that was sent
	 */
	public LeaseRequest attemptThatGetsNoAnswer(String key, Duration timeout) {
		for (int tries = 0; tries < 20; tries++) {
			LeaseRequest request = new LeaseRequest(OwnerId.random(), TTL, 1, null, false, timeout, Duration.ZERO);
			AttemptOutcome outcome = attempt(key, request);
			assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
			if (((AttemptOutcome.Unavailable) outcome).sent()) {
				return request;
			}
		}
		throw new AssertionError("No attempt on '" + key + "' was sent within " + timeout);
	}

	public boolean release(LeaseGrant grant) {
		return release(grant, Duration.ZERO);
	}

	public boolean release(LeaseGrant grant, Duration cooldown) {
		return await(this.connection.release(grant, cooldown));
	}

	public RenewalOutcome renew(LeaseGrant grant, Duration ttl) {
		return await(this.connection.renew(List.of(new Renewal(grant, ttl)))).get(0);
	}

	public void abandon(LockTarget target, OwnerId owner) {
		await(this.connection.abandon(List.of(new Orphan(target, owner))));
	}

	/**
	 * Return how long the lock on a key is still taken.
	 * @param key the key
	 * @return the rest
	 */
	public Duration rest(String key) {
		AttemptOutcome outcome = attempt(key);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);
		return ((AttemptOutcome.Busy) outcome).retryAfter();
	}

	public static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
	}

	@Override
	public void close() {
		stop();
		this.clock.close();
	}

}
