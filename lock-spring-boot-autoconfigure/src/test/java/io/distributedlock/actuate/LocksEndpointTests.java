package io.distributedlock.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.LocksDescriptors.ForcedReleaseDescriptor;
import io.distributedlock.actuate.LocksDescriptors.LeaseDescriptor;
import io.distributedlock.actuate.LocksDescriptors.LockDescriptor;
import io.distributedlock.actuate.LocksDescriptors.PageDescriptor;
import io.distributedlock.actuate.LocksDescriptors.SingleLockDescriptor;
import io.distributedlock.actuate.LocksDescriptors.StoreDescriptor;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.spi.StoreMonitors;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LocksEndpoint}, as JMX uses it.
 */
class LocksEndpointTests {

	private final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

	private void run(Consumer<Scene> test) {
		run(Show.ALWAYS, test);
	}

	private void run(Show show, Consumer<Scene> test) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=local", "lock.instance-id=shop@one")
			.run((context) -> test.accept(scene(context, show)));
	}

	private Scene scene(ApplicationContext context, Show show) {
		LockAuditor auditor = new LockAuditor(
				(event) -> this.audited.add(((AuditApplicationEvent) event).getAuditEvent()));
		return new Scene(new LocksEndpoint("shop@one", context.getBean(StoreMonitors.class), auditor, show),
				context.getBean(LockTemplate.class), context.getBean(LocalLocks.class));
	}

	@Test
	void leasesAndWaitersOfTheInstanceAreShown() {
		run((scene) -> {
			Lease lease = scene.locks.acquire(LockRequest.of("order:42").name("ship"));
			CompletableFuture<Void> waiting = CompletableFuture.runAsync(
					() -> scene.locks.acquire(LockRequest.of("order:42").name("bill").waitTime(Duration.ofMinutes(1)))
						.close());
			Awaitility.await().until(() -> scene.local().waitingCount() == 1);

			StoreDescriptor shown = scene.local();

			assertThat(scene.endpoint.instance().instance()).isEqualTo("shop@one");
			assertThat(shown.circuit()).isEqualTo("closed");
			assertThat(shown.heldCount()).isOne();
			assertThat(shown.truncated()).isFalse();
			LeaseDescriptor held = shown.held().get(0);
			assertThat(held.keys()).containsExactly("order:42");
			assertThat(held.name()).isEqualTo("ship");
			assertThat(held.mode()).isEqualTo("exclusive");
			assertThat(held.fencingToken()).isEqualTo(Long.toString(lease.fencingToken()));
			assertThat(held.remainingMs()).isBetween(1L, 30_000L);
			assertThat(shown.waiting()).singleElement().satisfies((call) -> {
				assertThat(call.keys()).containsExactly("order:42");
				assertThat(call.name()).isEqualTo("bill");
				assertThat(call.remainingWaitMs()).isBetween(1L, 60_000L);
			});
			assertThat(scene.lock("order:42").localWaiters()).isOne();
			lease.close();
			waiting.join();
			assertThat(scene.local().heldCount()).isZero();
		});
	}

	@Test
	void moreThanAThousandLeasesAreCountedAndCut() {
		run((scene) -> {
			for (int i = 0; i < 1_001; i++) {
				scene.locks.acquire("key:" + i);
			}

			StoreDescriptor shown = scene.local();

			assertThat(shown.heldCount()).isEqualTo(1_001);
			assertThat(shown.held()).hasSize(1_000);
			assertThat(shown.truncated()).isTrue();
		});
	}

	@Test
	void pagesHaveEachLockOnce() {
		run((scene) -> {
			for (int i = 0; i < 5; i++) {
				scene.locks.acquire("key:" + i);
			}

			PageDescriptor first = scene.page(null, 2);
			PageDescriptor second = scene.page(first.next(), 2);
			PageDescriptor third = scene.page(second.next(), 2);

			assertThat(List.of(first, second, third)).flatExtracting(PageDescriptor::locks)
				.extracting(LockDescriptor::key)
				.containsExactly("key:0", "key:1", "key:2", "key:3", "key:4");
			assertThat(third.next()).isNull();
			assertThat(scene.page(null, 5).next()).isNull();
		});
	}

	@Test
	void limitOutOfRangeIsRefused() {
		run((scene) -> {
			for (int limit : new int[] { 0, -1, 1_001 }) {
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> scene.page(null, limit));
			}
			assertThat(scene.page(null, 1_000).locks()).isEmpty();
		});
	}

	@Test
	void reasonSaysWhyALockIsBusy() {
		run((scene) -> {
			assertThat(scene.lock("k").reason()).isEqualTo("free");
			assertThat(scene.lock("k").holder()).isNull();

			try (Lease lease = scene.locks.acquire("k")) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(scene.lock("k").reason()).isEqualTo("held-here");
				assertThat(scene.lock("k").holder()).extracting(LockDescriptor::instance).isEqualTo("shop@one");
			}
			try (LocalLocks.Hold hold = scene.store.hold("k")) {
				assertThat(scene.lock("k").reason()).isEqualTo("held-by-another-instance");
				assertThat(scene.lock("k").holder()).extracting(LockDescriptor::instance, LockDescriptor::fencingToken)
					.containsExactly("another instance", Long.toString(hold.fencingToken()));
			}
		});
	}

	@Test
	void lockOfAStoreThatDoesNotAnswerShowsWhatThisInstanceKnows() {
		run((scene) -> {
			scene.locks.acquire("k");
			try (LocalLocks.Outage outage = scene.store.makeUnavailable()) {
				assertThat(outage).isNotNull();
				SingleLockDescriptor lock = scene.lock("k");

				assertThat(lock.reason()).isEqualTo("unavailable");
				assertThat(lock.holder()).isNull();
				assertThat(lock.error()).startsWith("The store 'local' could not be asked: ");
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> scene.page(null, 1));
			}
			assertThat(scene.lock("k").reason()).isEqualTo("held-here");
		});
	}

	@Test
	void storeThatIsNotConfiguredHasNoAnswer() {
		run((scene) -> {
			assertThat(scene.endpoint.store("other", null, null, null)).isNull();
			assertThat(scene.endpoint.forceRelease("other", "k")).isNull();
			assertThat(this.audited).isEmpty();
		});
	}

	@Test
	void forcedReleaseEndsTheLeaseAndIsAudited() {
		run((scene) -> {
			Lease lease = scene.locks.acquire("k");
			List<Lease> lost = new CopyOnWriteArrayList<>();
			lease.onLost(lost::add);

			ForcedReleaseDescriptor released = scene.endpoint.forceRelease("local", "k", () -> "alice");

			assertThat(released).isEqualTo(new ForcedReleaseDescriptor("k", "local", "released"));
			Awaitility.await().untilAsserted(() -> assertThat(lost).containsExactly(lease));
			assertThat(lease.isHeld()).isFalse();
			assertThat(scene.endpoint.forceRelease("local", "k")).extracting(ForcedReleaseDescriptor::outcome)
				.isEqualTo("not-held");
			assertThat(this.audited).extracting(AuditEvent::getPrincipal).containsExactly("alice", "anonymous");
			assertThat(this.audited).extracting((event) -> event.getData().get("outcome"))
				.containsExactly("released", "not-held");
		});
	}

	@Test
	void forcedReleaseWithoutAnAnswerIsAuditedAsUnknown() {
		run((scene) -> {
			try (LocalLocks.Outage outage = scene.store.makeUnavailable()) {
				assertThat(outage).isNotNull();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> scene.endpoint.forceRelease("local", "k"));
			}
			assertThat(this.audited).extracting((event) -> event.getData().get("outcome")).containsExactly("unknown");
		});
	}

	@Test
	void forcedReleaseOfAnInvalidKeyIsRefusedBeforeTheStoreIsAsked() {
		run((scene) -> {
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> scene.endpoint.forceRelease("local", " "));
			assertThat(this.audited).isEmpty();
		});
	}

	@Test
	void keysAreMaskedInListsIfTheyAreNeverShown() {
		run(Show.NEVER, (scene) -> {
			scene.locks.acquire("secret:1");
			scene.locks.acquire("secret:2");

			PageDescriptor page = scene.page(null, 1);

			assertThat(scene.endpoint.instance().toString()).doesNotContain("secret");
			assertThat(scene.local().held()).flatExtracting(LeaseDescriptor::keys).containsExactly("******", "******");
			assertThat(page.toString()).doesNotContain("secret");
			assertThat(page.next()).isEqualTo("******");
			assertThat(scene.page(null, 2).next()).isNull();
			assertThat(scene.lock("secret:1").reason()).isEqualTo("held-here");
		});
	}

	private record Scene(LocksEndpoint endpoint, LockTemplate locks, LocalLocks store) {

		StoreDescriptor local() {
			return this.endpoint.instance().stores().get("local");
		}

		PageDescriptor page(String next, int limit) {
			return (PageDescriptor) this.endpoint.store("local", null, next, limit);
		}

		SingleLockDescriptor lock(String key) {
			return (SingleLockDescriptor) this.endpoint.store("local", key, null, null);
		}

	}

}
