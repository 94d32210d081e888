package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.etcd.EtcdLockBackend;
import io.distributedlock.backend.etcd.EtcdLockSettings;
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
 * One JVM's client of an etcd, with shorthands.
 */
final class EtcdTestClient implements AutoCloseable {

	static final String NAMESPACE = "locks/";

	static final String PREFIX = "lock:";

	/**
	 * Longer than any test.
	 */
	static final Duration TTL = Duration.ofSeconds(60);

	private static final String RUN = OwnerId.random().value().substring(0, 8);

	private static final AtomicLong KEYS = new AtomicLong();

	private final SystemLockClock clock = new SystemLockClock();

	private final BackendConnection connection;

	private final Duration callTimeout;

	private final News news = new News(new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());

	EtcdTestClient(Client client) {
		this(client, settings(EtcdLockSettings.DEFAULT_SESSION_TTL));
	}

	EtcdTestClient(Client client, EtcdLockSettings settings) {
		this.callTimeout = settings.callTimeout();
		this.connection = new EtcdLockBackend(client, settings, this.clock).connect(this.news);
	}

	static EtcdLockSettings settings(Duration sessionTtl) {
		return settings(sessionTtl, Duration.ofSeconds(5));
	}

	static EtcdLockSettings settings(Duration sessionTtl, Duration callTimeout) {
		return new EtcdLockSettings(NAMESPACE, PREFIX, "test@host:1", callTimeout, sessionTtl, Duration.ofHours(24));
	}

	/**
	 * Return a key that no other test has used.
	 */
	static String newKey() {
		return "etcd:" + RUN + ":" + KEYS.incrementAndGet();
	}

	BackendConnection connection() {
		return this.connection;
	}

	/**
	 * Return the owner ids whose loss was reported.
	 */
	List<OwnerId> lost() {
		return this.news.lost;
	}

	/**
	 * Return the owner ids of the leases that others were reported to wait for.
	 */
	List<OwnerId> contended() {
		return this.news.contended;
	}

	LeaseRequest request(boolean waiting) {
		return request(waiting, null);
	}

	LeaseRequest request(boolean waiting, @Nullable Instant tick) {
		return new LeaseRequest(OwnerId.random(), TTL, 1, tick, waiting, this.callTimeout, Duration.ZERO);
	}

	/**
	 * Return a request for a mode, with two permits if it has any.
	 */
	LeaseRequest request(LockMode mode, boolean waiting) {
		return request((mode == LockMode.PERMITS) ? 2 : 0, waiting);
	}

	LeaseRequest request(int permits, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), TTL, 1, permits, null, waiting, this.callTimeout, Duration.ZERO);
	}

	AttemptOutcome attempt(String key) {
		return attempt(key, request(false));
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
		return granted(attempt(key));
	}

	LeaseGrant read(String key) {
		return granted(attempt(LockTarget.of(key, LockMode.SHARED), request(LockMode.SHARED, false)));
	}

	/**
	 * Take one of a number of permits.
	 */
	LeaseGrant permit(String key, int permits) {
		return granted(attempt(LockTarget.of(key, LockMode.PERMITS), request(permits, false)));
	}

	static LeaseGrant granted(AttemptOutcome outcome) {
		assertThat(outcome).as("an attempt on a lock that is not held").isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	boolean release(LeaseGrant grant) {
		return release(grant, Duration.ZERO);
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return await(this.connection.release(grant, cooldown));
	}

	RenewalOutcome renew(LeaseGrant grant) {
		return await(this.connection.renew(List.of(new Renewal(grant, TTL)))).get(0);
	}

	/**
	 * Return all entries whose names begin with the given one.
	 */
	static List<KeyValue> stored(Client client, String prefix) {
		return await(client.getKVClient()
			.get(ByteSequence.from(prefix, StandardCharsets.UTF_8), GetOption.builder().isPrefix(true).build()))
			.getKvs();
	}

	/**
	 * Return the places in the queue for a key.
	 */
	static List<KeyValue> places(Client client, String key) {
		return stored(client, NAMESPACE + PREFIX + key + "/w/");
	}

	static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
	}

	@Override
	public void close() {
		this.connection.close();
		this.clock.close();
	}

	/**
	 * Records what is reported of leases.
	 */
	private record News(List<OwnerId> lost, List<OwnerId> contended) implements BackendListener {

		@Override
		public void leaseLost(OwnerId ownerId) {
			this.lost.add(ownerId);
		}

		@Override
		public void contended(LeaseGrant grant, Duration pollAfter) {
			assertThat(pollAfter).as("the release wakes the other client").isZero();
			this.contended.add(grant.ownerId());
		}

	}

}
