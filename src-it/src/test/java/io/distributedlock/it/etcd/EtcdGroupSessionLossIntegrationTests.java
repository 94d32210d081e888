package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a holder whose session is ended from outside while it is cut off has lost
 * its lease before a waiter of another mode has the lock, or one more waiter a permit.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
class EtcdGroupSessionLossIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofSeconds(40);

	private final LockRequest exclusive = LockRequest.of(EtcdTestClient.newKey()).waitTime(LONG);

	private final LockRequest shared = this.exclusive.shared();

	private final LockRequest permit = this.exclusive.permits(2);

	private final AtomicReference<Boolean> heldAtGrant = new AtomicReference<>();

	private TcpProxy proxy;

	private Client behindProxy;

	private EtcdTestEngine here;

	private EtcdTestEngine beside;

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
		this.beside = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL);
		this.there = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL);
	}

	@AfterEach
	void close() {
		this.proxy.delay(Duration.ZERO);
		this.proxy.restore();
		this.here.close();
		this.beside.close();
		this.there.close();
		this.behindProxy.close();
		this.proxy.close();
	}

	@Test
	void readerHasLostItsLeaseBeforeAWriterHasTheLock() {
		Lease reader = acquireHere(this.shared);
		CompletableFuture<Lease> writer = waitThere(this.exclusive, 2);

		cutOffAndRevoke();

		assertLostBefore(reader, writer);
	}

	@Test
	void readerHasLostItsLeaseBeforeAWriterHasTheLockAlthoughOthersLeaveAfterIt() {
		Lease reader = acquireHere(this.shared);
		Lease other = this.beside.template().acquire(this.shared);
		CompletableFuture<Lease> writer = waitThere(this.exclusive, 3);

		cutOffAndRevoke();
		other.release();

		assertLostBefore(reader, writer);
	}

	@Test
	void writerHasLostItsLeaseBeforeAReaderHasTheLock() {
		Lease writer = acquireHere(this.exclusive);
		CompletableFuture<Lease> reader = waitThere(this.shared, 2);

		cutOffAndRevoke();

		assertLostBefore(writer, reader);
	}

	@Test
	void writerHasLostItsLeaseBeforeAPermitIsGranted() {
		Lease writer = acquireHere(this.exclusive);
		CompletableFuture<Lease> waiting = waitThere(this.permit, 2);

		cutOffAndRevoke();

		assertLostBefore(writer, waiting);
	}

	@Test
	void permitIsLostBeforeAWaiterHasIt() {
		Lease permit = acquireHere(this.permit);
		Lease other = this.beside.template().acquire(this.permit);
		CompletableFuture<Lease> waiting = waitThere(this.permit, 3);

		cutOffAndRevoke();

		assertLostBefore(permit, waiting);
		assertThat(other.release()).isTrue();
	}

	/**
	 * The lost permit counts no longer than until its holder knows.
	 */
	@Test
	void permitThatIsReleasedMeanwhileIsGrantedAlthoughAnotherIsLost() {
		acquireHere(this.permit);
		Lease other = this.beside.template().acquire(this.permit);
		CompletableFuture<Lease> first = waitThere(this.permit, 3);
		CompletableFuture<Lease> second = this.beside.template().acquireAsync(this.permit).toCompletableFuture();
		awaitPlaces(4);

		cutOffAndRevoke();
		other.release();

		EtcdTestClient.await(first).release();
		EtcdTestClient.await(second).release();
	}

	private Lease acquireHere(LockRequest request) {
		Lease lease = this.here.template().acquire(request);
		this.there.atGrant(() -> this.heldAtGrant.compareAndSet(null, lease.isHeld()));
		return lease;
	}

	private CompletableFuture<Lease> waitThere(LockRequest request, int places) {
		CompletableFuture<Lease> waiting = this.there.template().acquireAsync(request).toCompletableFuture();
		awaitPlaces(places);
		return waiting;
	}

	private void awaitPlaces(int number) {
		Awaitility.await("the waiter is in the queue").until(() -> places().size() == number);
	}

	private List<KeyValue> places() {
		return EtcdTestClient.places(EtcdServer.client(), this.exclusive.getKeys().get(0));
	}

	private void cutOffAndRevoke() {
		long session = places().stream()
			.min((one, other) -> Long.compare(one.getCreateRevision(), other.getCreateRevision()))
			.orElseThrow()
			.getLease();
		this.proxy.requests().hold();
		this.proxy.answers().hold();
		EtcdTestClient.await(EtcdServer.client().getLeaseClient().revoke(session));
	}

	private void assertLostBefore(Lease lease, CompletableFuture<Lease> waiting) {
		Lease next = EtcdTestClient.await(waiting);
		assertThat(this.heldAtGrant).as("whether the lease was held when another one was granted").hasValue(false);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		this.proxy.answers().delay(Duration.ZERO);
		this.proxy.restore();
		assertThat(lease.release()).isFalse();
		next.verify();
		assertThat(next.release()).isTrue();
	}

}
