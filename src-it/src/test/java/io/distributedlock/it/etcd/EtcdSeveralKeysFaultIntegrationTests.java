package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.etcd.jetcd.KeyValue;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for leases on several keys when places and sessions vanish, and for many requests
 * that overlap.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
class EtcdSeveralKeysFaultIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(6);

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private final List<String> keys = IntStream.range(0, 3).mapToObj((i) -> EtcdTestClient.newKey()).sorted().toList();

	private final EtcdTestEngine here = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL);

	private final EtcdTestEngine there = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL);

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void leaseIsLostWithThePlaceOfOneKeyAndTheOthersAreGivenBack(int removed) {
		Lease lease = this.here.template().acquire(all());
		AtomicInteger notified = new AtomicInteger();
		lease.onLost((lost) -> notified.incrementAndGet());

		delete(places(removed).get(0));
		await("the loss is noticed").until(() -> !verified(lease));

		await("all places are gone").until(() -> count() == 0);
		await("the holder is notified").until(() -> notified.get() == 1);
		assertThat(lease.release()).isFalse();
		assertThat(this.there.template().tryAcquire(all())).isPresent();
	}

	private static boolean verified(Lease lease) {
		try {
			lease.verify();
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void forcedReleaseOfOneKeyEndsTheLeaseOfThisJvmOnAll(int forced) {
		Lease lease = this.here.template().acquire(all());
		AtomicInteger notified = new AtomicInteger();
		lease.onLost((lost) -> notified.incrementAndGet());

		assertThat(this.here.forceRelease(this.keys.get(forced))).isTrue();

		await("the holder is notified").until(() -> notified.get() == 1);
		await("all places are gone").until(() -> count() == 0);
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting(this.there, all()).join().isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void waiterThatHasLostOnePlaceEntersAllQueuesAgainAtOnce(int removed) {
		Lease holder = this.there.template().acquire(this.keys.get(1));
		CompletableFuture<Lease> waiter = waiting(this.here, all());
		await("the waiter is in all queues").until(() -> count() == 4);
		List<KeyValue> places = places(removed);
		delete(places.get(places.size() - 1));

		assertThat(holder.release()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		assertThat(count()).isEqualTo(3);
		assertThat(revisions()).hasSize(1);
		assertThat(waiter.join().release()).isTrue();
	}

	@Test
	void readerWhoseWaitingPlaceIsForcedAwayWithAGroupEntersAllQueuesAgain() {
		Lease writer = this.there.template().acquire(this.keys.get(2));
		Lease reader = this.there.template().acquire(LockRequest.of(this.keys.get(0)).shared());
		CompletableFuture<Lease> waiter = waiting(this.here, all().shared());
		await("the waiter is in all queues").until(() -> count() == 5);

		assertThat(this.there.forceRelease(this.keys.get(0))).isTrue();
		assertThat(writer.release()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		assertThat(revisions()).hasSize(1);
		assertThat(reader.release()).isFalse();
	}

	@Test
	void sessionThatEndsBehindOneKeyIsWaitedForAlthoughTheWaiterIsServedByAnother() {
		try (EtcdTestEngine third = new EtcdTestEngine(EtcdServer.client(), SESSION_TTL)) {
			Lease watched = third.template().acquire(this.keys.get(0));
			Lease lost = this.here.template().acquire(LockRequest.of(this.keys.get(2)).ttl(PATIENCE));
			AtomicReference<Boolean> heldAtGrant = new AtomicReference<>();
			long[] granted = new long[1];
			CompletableFuture<Lease> waiter = waiting(this.there, all());
			await("the waiter is in all queues").until(() -> count() == 5);
			this.there.atGrant(() -> {
				heldAtGrant.set(lost.isHeld());
				granted[0] = System.nanoTime();
			});

			long ended = System.nanoTime();
			EtcdTestClient.await(EtcdServer.client().getLeaseClient().revoke(places(2).get(0).getLease()));
			await("its place is gone").until(() -> count() == 4);
			assertThat(watched.release()).isTrue();

			waiter.join();
			assertThat(heldAtGrant).hasValue(false);
			assertThat(granted[0] - ended).isGreaterThan(SESSION_TTL.dividedBy(2).toNanos());
		}
	}

	@Test
	void waiterWhoseSessionEndedEntersAllQueuesAgain() {
		Lease holder = this.there.template().acquire(this.keys.get(2));
		CompletableFuture<Lease> waiter = waiting(this.here, all());
		await("the waiter is in all queues").until(() -> count() == 4);
		KeyValue place = places(0).get(0);

		EtcdTestClient.await(EtcdServer.client().getLeaseClient().revoke(place.getLease()));

		await("the waiter is in all queues again")
			.until(() -> count() == 4 && places(0).get(0).getCreateRevision() != place.getCreateRevision());
		assertThat(holder.release()).isTrue();
		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void minimumHoldOfOneKeyDelaysAllAndIsOverThen() {
		assertThat(this.there.template()
			.acquire(LockRequest.of(this.keys.get(2)).minHold(Duration.ofSeconds(2)))
			.release()).isTrue();

		assertThat(this.here.template().tryAcquire(all())).isEmpty();
		Lease lease = waiting(this.here, all()).join();

		assertThat(count()).isEqualTo(3);
		assertThat(lease.release()).isTrue();
	}

	@Test
	void requestsInOppositeOrdersAndForSingleKeysAreServedInTurn() {
		String a = this.keys.get(0);
		String b = this.keys.get(1);
		String c = this.keys.get(2);
		List<List<String>> sets = List.of(this.keys, List.of(c, b), List.of(b, a), List.of(c, a), List.of(b));
		List<CompletableFuture<Lease>> served = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			EtcdTestEngine engine = (i % 2 == 0) ? this.here : this.there;
			LockRequest request = LockRequest.of(sets.get(i % sets.size()));
			served.add(waiting(engine, (i % 7 == 0) ? request.shared() : request)
				.thenCompose((lease) -> lease.releaseAsync().thenApply((stood) -> lease)));
		}

		assertThat(served).allMatch((lease) -> !lease.join().isHeld());
		await("nothing is left").until(() -> count() == 0);
	}

	private LockRequest all() {
		return LockRequest.of(this.keys);
	}

	private static CompletableFuture<Lease> waiting(EtcdTestEngine engine, LockRequest request) {
		return engine.template().acquireAsync(request.waitTime(PATIENCE)).toCompletableFuture();
	}

	private static void delete(KeyValue place) {
		EtcdTestClient.await(EtcdServer.client().getKVClient().delete(place.getKey()));
	}

	/**
	 * Return the places in the queue for a key, in their order.
	 */
	private List<KeyValue> places(int key) {
		return EtcdTestClient.places(EtcdServer.client(), this.keys.get(key))
			.stream()
			.sorted((one, other) -> Long.compare(one.getCreateRevision(), other.getCreateRevision()))
			.toList();
	}

	private int count() {
		return places(0).size() + places(1).size() + places(2).size();
	}

	private Set<Long> revisions() {
		return IntStream.range(0, 3)
			.boxed()
			.flatMap((key) -> places(key).stream())
			.map(KeyValue::getCreateRevision)
			.collect(Collectors.toSet());
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
