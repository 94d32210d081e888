package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for forced releases of groups that change meanwhile.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperGroupForceIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration COOLDOWN = Duration.ofMillis(500);

	private final String root = "/forced-" + OwnerId.random().value().substring(0, 8);

	private final ZooKeeperTestEngine admin = engine();

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private ZooKeeperTestEngine engine() {
		// Calls may take as long as their answers are held.
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, Duration.ofSeconds(40),
				Duration.ofSeconds(20));
	}

	@BeforeEach
	void connect() {
		List.of(this.admin, this.here, this.there)
			.forEach((engine) -> engine.template().acquire("another key").release());
	}

	@AfterEach
	void close() {
		this.admin.close();
		this.here.close();
		this.there.close();
	}

	@Test
	void memberThatEntersWhileTheGroupIsBeingRemovedIsRemovedToo() {
		Lease early = this.here.template().acquire(shared());
		CompletableFuture<Boolean> forced = forceAfterListing();
		Lease late = this.there.template().acquire(shared());

		this.admin.route().restore();

		assertThat(forced.join()).isTrue();
		assertLost(early);
		assertLost(late);
		assertThat(places()).isEmpty();
	}

	@Test
	void groupIsRemovedAlthoughAMemberLeavesMeanwhile() {
		Lease early = this.here.template().acquire(shared());
		Lease leaving = this.there.template().acquire(shared());
		CompletableFuture<Boolean> forced = forceAfterListing();
		assertThat(leaving.release()).isTrue();
		Lease late = this.there.template().acquire(shared());

		this.admin.route().restore();

		assertThat(forced.join()).isTrue();
		assertLost(early);
		assertLost(late);
		assertThat(places()).isEmpty();
	}

	@Test
	void groupThatHasEndedMeanwhileIsNotReportedAsRemoved() {
		Lease only = this.here.template().acquire(shared());
		CompletableFuture<Boolean> forced = forceAfterListing();
		assertThat(only.release()).isTrue();

		this.admin.route().restore();

		assertThat(forced.join()).isFalse();
		assertThat(this.there.template().tryAcquire("key")).isPresent();
	}

	@Test
	void waitingWriterKeepsItsPlaceAndIsServedAfterTheCooldown() {
		Lease reader = this.here.template().acquire(shared());
		CompletableFuture<Lease> writer = this.there.template()
			.acquireAsync(LockRequest.of("key").waitTime(PATIENCE))
			.toCompletableFuture();
		await("the writer is in the queue").until(() -> places().size() == 2);
		String place = places().stream().reduce((one, other) -> other).orElseThrow();

		assertThat(force().join()).isTrue();

		assertThat(writer.join().isHeld()).isTrue();
		assertThat(places()).contains(place);
		assertLost(reader);
	}

	@Test
	void waitersForPermitsEnterAgain() {
		List<Lease> holders = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			holders.add(this.here.template().acquire(LockRequest.of("key").permits(2)));
		}
		CompletableFuture<Lease> waiter = this.there.template()
			.acquireAsync(LockRequest.of("key").permits(2).waitTime(PATIENCE))
			.toCompletableFuture();
		await("the waiter is in the queue").until(() -> places().size() == 3);

		assertThat(force().join()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		holders.forEach(ZooKeeperGroupForceIntegrationTests::assertLost);
	}

	@Test
	void readersThatComeAndGoDoNotKeepAGroupFromBeingRemoved() {
		Lease enduring = this.here.template().acquire(shared());
		CompletableFuture<Void> traffic = CompletableFuture.runAsync(() -> {
			while (enduring.isHeld()) {
				this.there.template().tryAcquire(shared()).ifPresent(Lease::release);
			}
		});

		assertThat(force().join()).isTrue();

		assertLost(enduring);
		traffic.join();
	}

	private static LockRequest shared() {
		return LockRequest.of("key").shared();
	}

	/**
	 * Begin a forced release, and stop it after the servers have listed the members.
	 */
	private CompletableFuture<Boolean> forceAfterListing() {
		this.admin.route().proxy().answers().hold();
		CompletableFuture<Boolean> forced = force();
		// Longer than the server takes for requests that are sent at once.
		Awaitility.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
		return forced;
	}

	private CompletableFuture<Boolean> force() {
		return this.admin.client().forceRelease("key", COOLDOWN).toCompletableFuture();
	}

	private static void assertLost(Lease lease) {
		assertThat(lease.release()).isFalse();
	}

	private List<String> places() {
		try {
			return this.there.client()
				.handle()
				.getChildren(this.root + "/lock:key", false)
				.stream()
				.filter((name) -> !name.startsWith("cooldown-"))
				.sorted((one, other) -> one.substring(one.lastIndexOf('-'))
					.compareTo(other.substring(other.lastIndexOf('-'))))
				.toList();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
