package io.distributedlock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Basic operations that the contract is written with.
 */
abstract class ContractPart extends ContractStore {

	/**
	 * Bounds one request. Longer than an engine would wait, because it only matters for
	 * tests on a slow machine.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final int MOST_LEASES = 20;

	private static final String RUN = OwnerId.random().value().substring(0, 8);

	private static final AtomicLong KEYS = new AtomicLong();

	final ContractClient first() {
		return client(0);
	}

	final ContractClient second() {
		return client(1);
	}

	final ContractClient third() {
		return client(2);
	}

	final long now() {
		return clock().nanoTime();
	}

	final Duration since(long nanos) {
		return Duration.ofNanos(now() - nanos);
	}

	/**
	 * Return a key that no other test has used.
	 */
	static String newKey() {
		return "contract:" + RUN + ":" + KEYS.incrementAndGet();
	}

	static LeaseRequest request(Duration ttl) {
		return request(OwnerId.random(), ttl, 1, null);
	}

	static LeaseRequest request(OwnerId ownerId, Duration ttl, int span, @Nullable Instant tick) {
		return new LeaseRequest(ownerId, ttl, span, tick, false, TIMEOUT, TIMEOUT);
	}

	/**
	 * Make one attempt that leaves no mark when it is not granted.
	 */
	static AttemptOutcome attempt(BackendConnection client, String key, LeaseRequest request) {
		return attempt(client, LockTarget.exclusive(key), request);
	}

	/**
	 * Make one attempt that leaves no mark when it is not granted.
	 */
	static AttemptOutcome attempt(BackendConnection client, LockTarget target, LeaseRequest request) {
		Contender contender = client.contend(target, () -> {
		});
		AttemptOutcome outcome = get(contender.attempt(request));
		if (!(outcome instanceof AttemptOutcome.Granted)) {
			contender.withdraw();
		}
		return outcome;
	}

	static LeaseGrant acquire(BackendConnection client, String key, LeaseRequest request) {
		AttemptOutcome outcome = attempt(client, key, request);
		assertThat(outcome).as("an attempt on '%s', which has no holder", key)
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	static LeaseGrant acquire(BackendConnection client, String key, Duration ttl) {
		return acquire(client, key, request(ttl));
	}

	/**
	 * Acquire a lease for the brief TTL, and run an action before it expires. If this
	 * machine stood still meanwhile for longer than the lease lasts, the result proves
	 * nothing, and another lease is acquired.
	 * @param inTime the action with the lease, on a key that no other test uses
	 * @param <T> the type of the result
	 * @return the result of the action
	 */
	final <T> T whileItStands(Function<LeaseGrant, T> inTime) {
		return whileItStands((key) -> acquire(first(), key, briefTtl()), inTime);
	}

	/**
	 * As {@link #whileItStands(Function)}, with a lease of another kind.
	 * @param acquire acquires the lease on a key for the brief TTL
	 * @param inTime the action with the lease
	 * @param <T> the type of the result
	 * @return the result of the action
	 */
	final <T> T whileItStands(Function<String, LeaseGrant> acquire, Function<LeaseGrant, T> inTime) {
		for (int leases = 1;; leases++) {
			LeaseGrant grant = acquire.apply(newKey());
			T result = null;
			Throwable fault = null;
			try {
				result = inTime.apply(grant);
			}
			catch (AssertionError | RuntimeException ex) {
				fault = ex;
			}
			boolean stood = grant.nanosLeft(now()) > 0;
			if (stood && fault == null) {
				return result;
			}
			if (stood || leases == MOST_LEASES) {
				throw new AssertionError("Failed with lease " + leases + " of " + briefTtl() + ": " + fault, fault);
			}
		}
	}

	final LeaseGrant acquire(BackendConnection client, String key) {
		return acquire(client, key, longTtl());
	}

	final AttemptOutcome.Busy assertBusy(BackendConnection client, String key) {
		AttemptOutcome outcome = attempt(client, key, request(longTtl()));
		assertThat(outcome).as("an attempt on '%s', which can't be had", key).isInstanceOf(AttemptOutcome.Busy.class);
		return (AttemptOutcome.Busy) outcome;
	}

	final void assertFree(BackendConnection client, String key) {
		assertThat(release(client, acquire(client, key))).as("release of '%s', just acquired", key).isTrue();
	}

	static RenewalOutcome renew(BackendConnection client, LeaseGrant grant, Duration ttl) {
		List<RenewalOutcome> outcomes = get(client.renew(List.of(new Renewal(grant, ttl))));
		assertThat(outcomes).as("the outcomes of one renewal").hasSize(1);
		return outcomes.get(0);
	}

	static void assertStands(BackendConnection client, LeaseGrant grant) {
		assertThat(renew(client, grant, Duration.ZERO)).as("whether the lease on '%s' stands", grant.target().key())
			.isInstanceOf(RenewalOutcome.Renewed.class);
	}

	static void assertLost(BackendConnection client, LeaseGrant grant) {
		assertThat(renew(client, grant, Duration.ZERO)).as("whether the lease on '%s' stands", grant.target().key())
			.isInstanceOf(RenewalOutcome.Lost.class);
	}

	static boolean release(BackendConnection client, LeaseGrant grant) {
		return release(client, grant, Duration.ZERO);
	}

	static boolean release(BackendConnection client, LeaseGrant grant, Duration cooldown) {
		return get(client.release(grant, cooldown));
	}

	static Optional<LockInfo> find(BackendConnection client, String key) {
		return get(client.find(key));
	}

	/**
	 * Assert that an action neither lengthens nor shortens a lease, regardless of how
	 * long it takes.
	 */
	final void assertRestUnchangedBy(String key, Runnable action) {
		long from = now();
		Duration before = find(third(), key).orElseThrow().remaining();
		action.run();
		Duration after = find(third(), key).orElseThrow().remaining();

		// Stores count in milliseconds.
		Duration passed = since(from).plusMillis(2);
		assertThat(before.minus(after)).as("by how much the lease came nearer to its end")
			.isBetween(Duration.ofMillis(-2), passed);
	}

	/**
	 * Skip the test for stores without fencing tokens.
	 */
	final void assumeFencing() {
		assumeThat(first().traits().fencing()).as("whether this store has fencing tokens").isTrue();
	}

	/**
	 * Skip the test for stores with sessions.
	 */
	final void assumeLeasesHaveTheirOwnTtl() {
		assumeThat(first().traits().leaseKind()).as("what keeps a lease alive at this store")
			.isEqualTo(BackendTraits.LeaseKind.PER_LOCK);
	}

	/**
	 * Skip the test for stores whose clients can't be cut off.
	 */
	final void assumeCutOff() {
		assumeThat(canCutOff()).as("whether a client can be cut off from this store").isTrue();
	}

	/**
	 * Skip the test for stores whose answers can't get lost.
	 */
	final void assumeAnswersGetLost() {
		assumeThat(canLoseAnswers()).as("whether answers of this store can get lost").isTrue();
	}

	/**
	 * Wait for an answer in real time, because answers do not depend on the clock of the
	 * clients.
	 */
	static <T> T get(CompletionStage<T> stage) {
		try {
			return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new AssertionError("The store did not answer: " + ex, ex);
		}
	}

}
