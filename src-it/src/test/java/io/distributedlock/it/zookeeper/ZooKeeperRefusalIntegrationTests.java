package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.zookeeper.ZooKeeperRoute;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests that ZooKeeper refuses until an administrator changes permissions.
 * The cause names the node and the permission.
 */
class ZooKeeperRefusalIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final String root = "/refusals-" + OwnerId.random().value().substring(0, 8);

	private final CuratorFramework admin = CuratorFrameworkFactory.newClient(ZooKeeperServer.connectString(),
			new RetryOneTime(100));

	private String chroot = "";

	private final ZooKeeperTestEngine engine = new ZooKeeperTestEngine(this::route, this.root, Duration.ofSeconds(20));

	@BeforeEach
	void connect() {
		this.admin.start();
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.admin.close();
	}

	@Test
	void attemptNamesTheLockThatMayNotBeListed() throws Exception {
		create(this.root, Perms.ALL);
		create(this.root + "/lock:key", Perms.CREATE | Perms.DELETE);

		AttemptOutcome outcome = attempt(contender());

		assertRefused(((AttemptOutcome.Unavailable) outcome).cause(), "READ on " + this.root + "/lock:key ");
	}

	@Test
	void releaseThatIsRefusedNamesTheNodeAndIsNotTrue() throws Exception {
		create(this.root, Perms.ALL);
		create(this.root + "/lock:key", Perms.READ | Perms.CREATE);
		AttemptOutcome.Granted granted = (AttemptOutcome.Granted) attempt(contender());

		String needed = "DELETE on " + this.root + "/lock:key ";
		assertRefused(failureOf(this.engine.client().release(granted.grant(), Duration.ZERO)), needed);
		assertRefused(failureOf(this.engine.client().release(granted.grant(), TTL)), needed);
		assertRefused(failureOf(this.engine.client().forceRelease("key", Duration.ZERO)), needed);
		assertThat(this.engine.client().renew(List.of(new Renewal(granted.grant(), TTL))).toCompletableFuture().join())
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	@Test
	void wakingNeedsNoFurtherPermission() {
		LockTarget target = LockTarget.exclusive("key");
		this.engine.template().acquire("another key");

		assertThat(this.engine.client().wakesContenders(target).toCompletableFuture().join()).isTrue();
	}

	@Test
	void chrootThatDoesNotExistIsNamed() {
		this.chroot = "/no/such-chroot";

		assertRefused(((AttemptOutcome.Unavailable) attempt(contender())).cause(), "chroot '/no/such-chroot'");
	}

	private Contender contender() {
		// The first use starts the engine's backend.
		this.engine.start();
		return this.engine.client().contend(LockTarget.exclusive("key"), () -> {
		});
	}

	private static AttemptOutcome attempt(Contender contender) {
		return contender.attempt(new LeaseRequest(OwnerId.random(), TTL, 1, null, false, TTL, Duration.ZERO))
			.toCompletableFuture()
			.join();
	}

	private void create(String path, int permissions) throws Exception {
		this.admin.create().withACL(List.of(new ACL(permissions, Ids.ANYONE_ID_UNSAFE))).forPath(path, new byte[0]);
	}

	private static void assertRefused(Throwable cause, String message) {
		assertThat(cause).isInstanceOf(LockRefusedException.class).hasMessageContaining(message);
	}

	private static Throwable failureOf(CompletionStage<?> stage) {
		return stage
			.handle((value, failure) -> (failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure)
			.toCompletableFuture()
			.join();
	}

	private ZooKeeperRoute route() {
		return new ZooKeeperRoute() {

			@Override
			public String connectString() {
				return ZooKeeperServer.connectString() + ZooKeeperRefusalIntegrationTests.this.chroot;
			}

			@Override
			public void cut() {
				throw new UnsupportedOperationException();
			}

			@Override
			public void loseAnswers() {
				throw new UnsupportedOperationException();
			}

			@Override
			public void restore() {
				throw new UnsupportedOperationException();
			}

			@Override
			public void close() {
				// This route opens no connection.
			}

		};
	}

}
