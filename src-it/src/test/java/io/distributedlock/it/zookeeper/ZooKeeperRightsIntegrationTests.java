package io.distributedlock.it.zookeeper;

import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

import io.distributedlock.LockRefusedException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.ReferenceBlock;
import io.distributedlock.it.rights.StartFailure;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the documented permissions of the locks' user are enough, and that each of
 * them is needed. All nodes are below a chroot.
 */
class ZooKeeperRightsIntegrationTests {

	private static final Map<Character, Integer> PERMISSIONS = Map.of('c', Perms.CREATE, 'r', Perms.READ, 'w',
			Perms.WRITE, 'd', Perms.DELETE, 'a', Perms.ADMIN);

	private static final String PERMISSIONS_OF_THE_REFERENCE = command().get(3).split(":")[3];

	private static final String REFUSED = "The store 'zookeeper' can't keep the locks: It failed at taking a lock:"
			+ " ZooKeeper refuses ";

	private static final String ADVICE = ": see the ACL of that node, and lock.zookeeper.auth or the authorization of"
			+ " the CuratorFramework";

	private final String chroot = "/rights-" + OwnerId.random().value().substring(0, 8);

	private final CuratorFramework admin = CuratorFrameworkFactory.newClient(ZooKeeperServer.connectString(),
			new RetryOneTime(100));

	@BeforeEach
	void connect() throws Exception {
		this.admin.start();
		this.admin.create().forPath(this.chroot);
	}

	@AfterEach
	void close() {
		this.admin.close();
	}

	@Test
	void permissionsOfTheReferenceAreEnough() throws Exception {
		createRoot(PERMISSIONS_OF_THE_REFERENCE);

		start("locks:secret", (context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
			FullCycle.runSeveralKeys(context);
		});
	}

	@Test
	void digestOfTheReferenceIsThatOfItsUserAndPassword() throws Exception {
		assertThat(command().get(3))
			.startsWith("digest:" + DigestAuthenticationProvider.generateDigest("locks:secret") + ":");
	}

	@Test
	void startWithoutThePermissionToCreateNamesTheStepThePermissionTheNodeAndTheUser() throws Exception {
		createRoot(PERMISSIONS_OF_THE_REFERENCE.replace("c", ""));

		start("locks:secret", (context) -> assertThat(StartFailure.description(context))
			.startsWith(REFUSED + "the user 'locks' of the locks the permission CREATE on /locks (NoAuth for /locks/")
			.endsWith(ADVICE));
	}

	@Test
	void onlyListingNeedsThePermissionToRead() throws Exception {
		createRoot(PERMISSIONS_OF_THE_REFERENCE.replace("r", ""));

		start("locks:secret", (context) -> {
			assertThat(context).hasNotFailed();
			Map<String, Throwable> failures = FullCycle.failures(context);
			assertThat(failures).containsOnlyKeys("list");
			assertThat(failures.get("list")).isInstanceOf(LockRefusedException.class)
				.hasMessage("ZooKeeper refuses the user 'locks' of the locks the permission READ on /locks"
						+ " (NoAuth for /locks)" + ADVICE);
		});
	}

	@Test
	void otherUserIsNamed() throws Exception {
		createRoot(PERMISSIONS_OF_THE_REFERENCE);

		start("others:secret", (context) -> assertThat(StartFailure.description(context))
			.startsWith(REFUSED + "the user 'others' of the locks the permission CREATE on /locks (NoAuth for"));
		start(null, (context) -> assertThat(StartFailure.description(context))
			.startsWith(REFUSED + "the locks the permission CREATE on /locks (NoAuth for"));
	}

	@Test
	void rootThatIsMissingNeedsThePermissionToCreateOnTheNodeAboveIt() throws Exception {
		this.admin.setACL().withACL(List.of(new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE))).forPath(this.chroot);
		start("locks:secret", (context) -> assertThat(StartFailure.description(context)).isEqualTo(
				REFUSED + "the user 'locks' of the locks the permission CREATE on / (NoAuth for /locks)" + ADVICE));
	}

	@Test
	void rootThatIsMissingIsCreatedForItsUser() {
		start("locks:secret", (context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
			FullCycle.runSeveralKeys(context);
			// Only its user may read it.
			assertThatExceptionOfType(KeeperException.NoAuthException.class)
				.isThrownBy(() -> this.admin.getChildren().forPath(this.chroot + "/locks"));
		});
	}

	private static List<String> command() {
		List<String> words = List.of(ReferenceBlock.line("rights-zookeeper").split(" "));
		assertThat(words).hasSize(4).startsWith("create", "/locks", "\"\"");
		return words;
	}

	private void createRoot(String permissions) throws Exception {
		List<String> words = command();
		String[] acl = words.get(3).split(":");
		this.admin.create()
			.withACL(List.of(new ACL(bits(permissions), new Id(acl[0], acl[1] + ":" + acl[2]))))
			.forPath(this.chroot + words.get(1), new byte[0]);
	}

	private static int bits(String letters) {
		return letters.chars().map((letter) -> PERMISSIONS.get((char) letter)).sum();
	}

	private void start(String auth, ContextConsumer<AssertableApplicationContext> work) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=zookeeper", "lock.zookeeper.session-timeout=20s",
					"lock.zookeeper.connect-string=" + ZooKeeperServer.connectString() + this.chroot)
			.withPropertyValues((auth != null) ? new String[] { "lock.zookeeper.auth=" + auth } : new String[0])
			.run(work);
	}

}
