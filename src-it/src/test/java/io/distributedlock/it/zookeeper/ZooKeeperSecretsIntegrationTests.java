package io.distributedlock.it.zookeeper;

import java.util.List;
import java.util.UUID;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs.Ids;

import io.distributedlock.it.stores.SecretsContract;

/**
 * Tests for the secrets of nodes that only their user may access.
 */
class ZooKeeperSecretsIntegrationTests extends SecretsContract {

	private static final String PASSWORD = "s3cret-" + UUID.randomUUID();

	private static final String ROOT = "/secrets-" + UUID.randomUUID();

	@Override
	protected List<String> properties(String password) {
		return List.of("lock.backend=zookeeper", "lock.zookeeper.connect-string=" + ZooKeeperServer.connectString(),
				"lock.zookeeper.root=" + (password.equals(PASSWORD) ? ROOT : rootOfOthers()),
				"lock.zookeeper.auth=locks:" + password);
	}

	private static String rootOfOthers() {
		String root = "/secrets-" + UUID.randomUUID();
		try (CuratorFramework admin = ZooKeeperApplicationIntegrationTests.curator()) {
			admin.start();
			admin.create().withACL(Ids.READ_ACL_UNSAFE).forPath(root);
			return root;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	protected String password() {
		return PASSWORD;
	}

}
