package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.SslOptions;
import org.awaitility.Awaitility;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM's client of some nodes, with shorthands. It records what is reported about
 * them.
 */
final class RedlockTestClient implements AutoCloseable, RedlockListener {

	/**
	 * The TTL of its leases, which is also the longest TTL. It is short, so that
	 * quarantines end soon, and long enough for the steps of a test on a busy machine.
	 */
	static final Duration TTL = Duration.ofSeconds(4);

	/**
	 * The prefix of its names.
	 */
	static final String PREFIX = "lock:";

	private static final String RUN = OwnerId.random().value().substring(0, 8);

	private static final AtomicLong KEYS = new AtomicLong();

	private final SystemLockClock systemClock = new SystemLockClock();

	private final LockClock clock;

	private final BackendConnection connection;

	private final Duration maxTtl;

	private final Duration callTimeout;

	private final Set<String> voting = ConcurrentHashMap.newKeySet();

	private final AtomicInteger returns = new AtomicInteger();

	private final Map<String, Long> quarantines = new ConcurrentHashMap<>();

	private final Map<String, Long> recoveries = new ConcurrentHashMap<>();

	private final Map<String, String> refused = new ConcurrentHashMap<>();

	private final List<String> refusedCommands = new CopyOnWriteArrayList<>();

	private final Set<String> estimated = ConcurrentHashMap.newKeySet();

	/**
	 * Create a client of nodes that may have been empty from the beginning.
	 */
	RedlockTestClient(List<RedlockEndpoint> endpoints) {
		this(endpoints, settings(endpoints, TTL, false, PREFIX));
	}

	RedlockTestClient(List<RedlockEndpoint> endpoints, RedlockSettings settings) {
		this(endpoints, null, settings, Duration.ZERO);
	}

	/**
	 * Create a client.
	 * @param tls the trust settings of nodes with TLS
	 * @param ahead by how much its clocks are ahead of this JVM's
	 */
	RedlockTestClient(List<RedlockEndpoint> endpoints, SslOptions tls, RedlockSettings settings, Duration ahead) {
		this.clock = new ShiftedClock(this.systemClock, ahead);
		this.maxTtl = settings.maxTtl();
		this.callTimeout = settings.callTimeout();
		this.connection = new RedlockLockBackend(LettuceNodes.of(endpoints, tls, settings, this.clock), settings,
				this.clock, this)
			.connect((owner) -> {
			});
	}

	/**
	 * Return settings with timeouts for a busy machine.
	 */
	static RedlockSettings settings(List<RedlockEndpoint> endpoints, Duration maxTtl, boolean quarantineOnEmpty,
			String prefix) {
		return new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(), Duration.ofSeconds(3),
				maxTtl, quarantineOnEmpty, Duration.ofHours(1), Duration.ofSeconds(5), "test@host:1", prefix);
	}

	/**
	 * Return a key that no other test has used.
	 */
	static String newKey() {
		return "redlock:" + RUN + ":" + KEYS.incrementAndGet();
	}

	BackendConnection connection() {
		return this.connection;
	}

	@Override
	public void changed(String node, Change change, String subject) {
		switch (change) {
			case VOTING -> {
				this.recoveries.put(node, System.nanoTime());
				this.returns.incrementAndGet();
				this.voting.add(node);
			}
			case QUARANTINED -> {
				this.voting.remove(node);
				this.quarantines.put(node, System.nanoTime());
			}
			case DOWN -> this.voting.remove(node);
			case REFUSED -> {
				this.voting.remove(node);
				this.refused.put(node, subject);
			}
			case COMMAND_REFUSED -> this.refusedCommands.add(node + ": " + subject);
			case FLOOR_ESTIMATED -> this.estimated.add(node);
			case CLOCK_JUMPED -> {
			}
		}
	}

	Set<String> voting() {
		return this.voting;
	}

	/**
	 * Return how often a node was reported to vote.
	 */
	int returns() {
		return this.returns.get();
	}

	/**
	 * Return the nodes that were in quarantine.
	 */
	Set<String> quarantines() {
		return this.quarantines.keySet();
	}

	/**
	 * Return for how long a node that was in quarantine did not vote.
	 */
	Duration quarantine(String node) {
		return Duration.ofNanos(this.recoveries.get(node) - this.quarantines.get(node));
	}

	Map<String, String> refused() {
		return this.refused;
	}

	/**
	 * Return all reports of commands that nodes refuse.
	 */
	List<String> refusedCommands() {
		return this.refusedCommands;
	}

	Set<String> estimated() {
		return this.estimated;
	}

	RedlockTestClient awaitVotes(int number) {
		Awaitility.await(number + " nodes that vote")
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.voting.size() == number);
		return this;
	}

	long now() {
		return this.clock.nanoTime();
	}

	LeaseRequest request(Duration ttl, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), ttl, 1, null, waiting, this.callTimeout, Duration.ZERO);
	}

	AttemptOutcome attempt(String key) {
		return attempt(key, request(this.maxTtl, false));
	}

	AttemptOutcome attempt(String key, LeaseRequest request) {
		return attempt(LockTarget.exclusive(key), request);
	}

	/**
	 * Attempt to enter a group, which has two permits if they are counted.
	 */
	AttemptOutcome attempt(String key, LockMode mode) {
		return attempt(LockTarget.of(key, mode), request(mode, false));
	}

	AttemptOutcome attempt(LockTarget target, LeaseRequest request) {
		Contender contender = this.connection.contend(target, () -> {
		});
		AttemptOutcome outcome = await(contender.attempt(request));
		contender.withdraw();
		return outcome;
	}

	/**
	 * Enter a group, which has two permits if they are counted.
	 */
	LeaseGrant enter(String key, LockMode mode) {
		return granted(key, attempt(key, mode));
	}

	LeaseRequest request(LockMode mode, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), this.maxTtl, 1, (mode == LockMode.PERMITS) ? 2 : 0, null, waiting,
				this.callTimeout, Duration.ZERO);
	}

	LeaseGrant acquire(String key) {
		return granted(key, attempt(key));
	}

	private static LeaseGrant granted(String key, AttemptOutcome outcome) {
		assertThat(outcome).as("an attempt on '%s', which nobody holds", key)
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	boolean release(LeaseGrant grant) {
		return release(grant, Duration.ZERO);
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return await(this.connection.release(grant, cooldown));
	}

	RenewalOutcome renew(LeaseGrant grant) {
		return await(this.connection.renew(List.of(new Renewal(grant, this.maxTtl)))).get(0);
	}

	static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	@Override
	public void close() {
		this.connection.close();
		this.systemClock.close();
	}

	/**
	 * The clocks of a machine with another time.
	 */
	private record ShiftedClock(LockClock real, Duration ahead) implements LockClock {

		@Override
		public long nanoTime() {
			return this.real.nanoTime() + this.ahead.toNanos();
		}

		@Override
		public long wallMillis() {
			return this.real.wallMillis() + this.ahead.toMillis();
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			return this.real.schedule(delay, task);
		}

	}

}
