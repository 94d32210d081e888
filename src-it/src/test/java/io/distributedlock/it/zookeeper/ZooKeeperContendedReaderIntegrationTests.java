package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.backend.zookeeper.ZooKeeperLockSettings;
import io.distributedlock.backend.zookeeper.ZooKeeperTestClient;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
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
 * Tests that the renewal of a shared lease reports that another JVM waits.
 */
class ZooKeeperContendedReaderIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private final String root = "/contended-" + OwnerId.random().value().substring(0, 8);

	private final SystemLockClock clock = new SystemLockClock();

	private final List<LeaseGrant> contended = new CopyOnWriteArrayList<>();

	private final ZooKeeperTestClient here = client();

	private final ZooKeeperTestClient there = client();

	private ZooKeeperTestClient client() {
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(this.root, "lock:", "test@host:1",
				Duration.ofSeconds(10), Duration.ofHours(24));
		return ZooKeeperTestClient.of(() -> ProxyRoute.to(ZooKeeperServer.port()), Duration.ofSeconds(20), settings,
				this.clock);
	}

	@BeforeEach
	void connect() {
		this.here.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				assertThat(pollAfter).isZero();
				ZooKeeperContendedReaderIntegrationTests.this.contended.add(grant);
			}

		});
		this.there.connect((ownerId) -> {
		});
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.clock.close();
	}

	@Test
	void writerOfAnotherJvmThatWaitsIsReported() {
		LeaseGrant reader = acquire(this.here, LockMode.SHARED);
		LeaseGrant other = acquire(this.here, LockMode.SHARED);
		renew(reader, other);
		assertThat(this.contended).isEmpty();

		await(this.there, LockMode.EXCLUSIVE);

		assertThat(renew(reader, other)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.contended).containsExactlyInAnyOrder(reader, other);
	}

	@Test
	void writerThatHasLeftIsNotReported() {
		LeaseGrant reader = acquire(this.here, LockMode.SHARED);
		Contender writer = await(this.there, LockMode.EXCLUSIVE);

		writer.withdraw();
		this.there.find("key").toCompletableFuture().join();
		renew(reader);

		assertThat(this.contended).isEmpty();
	}

	@Test
	void waiterOfTheOwnJvmIsNotReported() {
		LeaseGrant reader = acquire(this.here, LockMode.SHARED);

		await(this.here, LockMode.EXCLUSIVE);
		acquire(this.there, LockMode.SHARED, "another key");
		renew(reader);

		assertThat(this.contended).isEmpty();
	}

	@Test
	void waiterOfTheOwnJvmForOtherKeysIsReported() {
		LockTarget several = new LockTarget(List.of("key", "other"), LockMode.SHARED);
		LeaseGrant reader = ((AttemptOutcome.Granted) attempt(this.here.contend(several, () -> {
		}), false)).grant();
		renew(reader);
		assertThat(this.contended).isEmpty();

		await(this.here, LockMode.EXCLUSIVE);
		renew(reader);

		assertThat(this.contended).containsExactly(reader);
	}

	@Test
	void otherReadersAreNotReported() {
		LeaseGrant reader = acquire(this.here, LockMode.SHARED);

		acquire(this.there, LockMode.SHARED);
		renew(reader);

		assertThat(this.contended).isEmpty();
	}

	private List<RenewalOutcome> renew(LeaseGrant... grants) {
		return this.here.renew(List.of(grants).stream().map(Renewal::question).toList()).toCompletableFuture().join();
	}

	private static LeaseGrant acquire(ZooKeeperTestClient client, LockMode mode) {
		return acquire(client, mode, "key");
	}

	private static LeaseGrant acquire(ZooKeeperTestClient client, LockMode mode, String key) {
		AttemptOutcome outcome = attempt(client.contend(LockTarget.of(key, mode), () -> {
		}), false);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private static Contender await(ZooKeeperTestClient client, LockMode mode) {
		Contender contender = client.contend(LockTarget.of("key", mode), () -> {
		});
		assertThat(attempt(contender, true)).isInstanceOf(AttemptOutcome.Busy.class);
		return contender;
	}

	private static AttemptOutcome attempt(Contender contender, boolean waiting) {
		return contender
			.attempt(new LeaseRequest(OwnerId.random(), TTL, 1, null, waiting, Duration.ofSeconds(10), Duration.ZERO))
			.toCompletableFuture()
			.join();
	}

}
