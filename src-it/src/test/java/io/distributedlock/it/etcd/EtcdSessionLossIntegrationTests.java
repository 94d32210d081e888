package io.distributedlock.it.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the holders of a session know of its end before another client has their
 * locks, that they are notified once, and that they do no harm afterwards.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
class EtcdSessionLossIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofSeconds(40);

	private final String key = EtcdTestClient.newKey();

	private final AtomicInteger told = new AtomicInteger();

	private final AtomicBoolean heldAtGrant = new AtomicBoolean();

	private TcpProxy proxy;

	private Client behindProxy;

	private EtcdTestEngine here;

	private EtcdTestEngine there;

	@BeforeEach
	void open() {
		this.proxy = TcpProxy.to(EtcdServer.process().port());
		this.behindProxy = Client.builder()
			.endpoints("http://127.0.0.1:" + this.proxy.port())
			.waitForReady(false)
			.retryMaxAttempts(0)
			.build();
		this.here = new EtcdTestEngine(this.behindProxy, SESSION_TTL);
		this.there = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL);
	}

	@AfterEach
	void close() {
		this.proxy.delay(Duration.ZERO);
		this.proxy.restore();
		this.here.close();
		this.there.close();
		this.behindProxy.close();
		this.proxy.close();
	}

	@Test
	void sessionThatIsRevokedInEtcdIsKnownToItsHolderBeforeAWaiterHasTheLock() {
		Lease lease = acquireHere();
		CompletableFuture<Lease> waiting = waitThere();
		// The holder receives every answer later than the waiter.
		this.proxy.answers().delay(Duration.ofMillis(700));

		revokeSessionOfTheHolder();

		assertLostBefore(lease, waiting);
	}

	@Test
	void newSessionIsOpenedAfterOneWasRevoked() {
		Lease lost = acquireHere();
		revokeSessionOfTheHolder();
		Awaitility.await().until(() -> !lost.isHeld());

		Lease lease = this.here.template().acquire(LockRequest.of(this.key).waitTime(LONG));

		assertThat(lease.fencingToken()).isGreaterThan(lost.fencingToken());
		assertThat(lost.release()).isFalse();
		lease.verify();
		assertThat(lease.release()).isTrue();
	}

	@Test
	void holderThatIsCutOffHasLostItsLeaseBeforeAWaiterHasTheLock() {
		Lease lease = acquireHere();
		CompletableFuture<Lease> waiting = waitThere();

		this.proxy.requests().hold();
		this.proxy.answers().hold();

		assertLostBefore(lease, waiting);
	}

	@Test
	void holderThatIsCutOffHasLostItsLeaseBeforeAWaiterHasTheLockAlthoughItsSessionIsRevoked() {
		Lease lease = acquireHere();
		CompletableFuture<Lease> waiting = waitThere();

		this.proxy.requests().hold();
		this.proxy.answers().hold();
		revokeSessionOfTheHolder();

		assertLostBefore(lease, waiting);
	}

	@Test
	void validityCountsFromTheSendingOfASignOfLifeHoweverLateItsAnswer() {
		// A sixth of the TTL, the delay and the pauses of a busy machine fit into half of
		// the TTL.
		Duration sessionTtl = Duration.ofSeconds(12);
		this.here.close();
		this.here = new EtcdTestEngine(this.behindProxy, sessionTtl);
		Lease lease = acquireHere();
		long firstValidityEnds = System.nanoTime() + sessionTtl.toNanos() / 2;
		this.proxy.answers().delay(Duration.ofMillis(1_500));
		Awaitility.await("keep-alives whose answers are late count")
			.atMost(LONG)
			.until(() -> System.nanoTime() - firstValidityEnds > 0);
		assertThat(lease.isHeld()).isTrue();

		// Answers in transit still arrive, so that the holder gets every answer.
		this.proxy.requests().drop();

		// Tries instead of a wait: without a queue the lock is granted at the moment when
		// it is free.
		Optional<Lease> next = Awaitility.await()
			.atMost(LONG)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.there.template().tryAcquire(this.key), Optional::isPresent);
		assertThat(this.heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		next.orElseThrow().release();
	}

	@Test
	void leaseWithoutRenewalLastsForItsTtlAlthoughThatIsLongerThanTheSessionsAndNoLonger() {
		Duration ttl = SESSION_TTL.multipliedBy(2);
		LongSupplier heldFor = nanosSince(System.nanoTime());
		Lease lease = this.here.template().acquire(LockRequest.of(this.key).ttl(ttl).withoutRenewal());

		Lease next = this.there.template().acquire(LockRequest.of(this.key).waitTime(LONG));

		assertThat(lease.isHeld()).isFalse();
		assertThat(heldFor.getAsLong()).isGreaterThan(ttl.minus(ttl.dividedBy(10)).toNanos());
		assertThat(next.release()).isTrue();
	}

	@Test
	void leaseIsHeldForAsLongAsTheSessionLives() {
		Lease lease = this.here.template().acquire(LockRequest.of(this.key).ttl(Duration.ofSeconds(30)));
		LongSupplier heldFor = nanosSince(System.nanoTime());

		Awaitility.await().atMost(LONG).until(() -> {
			assertThat(lease.isHeld()).isTrue();
			return heldFor.getAsLong() > SESSION_TTL.multipliedBy(2).toNanos();
		});

		assertThat(lease.release()).isTrue();
	}

	@Test
	void cooldownAndTickOutliveTheSession() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		EtcdTestClient gone = new EtcdTestClient(EtcdServer.client());
		LeaseGrant grant = EtcdTestClient.granted(gone.attempt(this.key, gone.request(false, tick)));
		assertThat(gone.release(grant, Duration.ofSeconds(60))).isTrue();

		gone.close();

		try (EtcdTestClient other = new EtcdTestClient(EtcdServer.client())) {
			assertThat(other.attempt(this.key, other.request(false, tick))).isEqualTo(new AttemptOutcome.Done(tick));
			assertThat(other.attempt(this.key, other.request(false, tick.plusSeconds(1))))
				.isInstanceOf(AttemptOutcome.Busy.class);
		}
	}

	private Lease acquireHere() {
		Lease lease = this.here.template().acquire(LockRequest.of(this.key));
		lease.onLost((lost) -> this.told.incrementAndGet());
		this.there.atGrant(() -> this.heldAtGrant.set(lease.isHeld()));
		return lease;
	}

	private CompletableFuture<Lease> waitThere() {
		CompletableFuture<Lease> waiting = this.there.template()
			.acquireAsync(LockRequest.of(this.key).waitTime(LONG))
			.toCompletableFuture();
		Awaitility.await("the waiter is in the queue")
			.until(() -> EtcdTestClient.places(EtcdServer.client(), this.key).size() == 2);
		return waiting;
	}

	private void assertLostBefore(Lease lease, CompletableFuture<Lease> waiting) {
		Lease next = EtcdTestClient.await(waiting);
		assertThat(this.heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		assertThat(lease.isHeld()).isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		Awaitility.await().untilAsserted(() -> assertThat(this.told).hasValue(1));
		this.proxy.answers().delay(Duration.ZERO);
		this.proxy.restore();
		assertThat(lease.release()).isFalse();
		next.verify();
		assertThat(next.release()).isTrue();
		assertThat(this.told).hasValue(1);
	}

	private void revokeSessionOfTheHolder() {
		long session = EtcdTestClient.places(EtcdServer.client(), this.key)
			.stream()
			.min((one, other) -> Long.compare(one.getCreateRevision(), other.getCreateRevision()))
			.orElseThrow()
			.getLease();
		EtcdTestClient.await(EtcdServer.client().getLeaseClient().revoke(session));
	}

	private static LongSupplier nanosSince(long start) {
		return () -> System.nanoTime() - start;
	}

}
