package io.distributedlock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.SmartLifecycle;

import io.distributedlock.backend.zookeeper.PromptZookeeperFactory;

/**
 * The Curator of the locks: that of the application, which is used but never closed, or
 * one of our own. A closed Curator can't be started again, so each start creates a new
 * one.
 */
class LockCurator implements SmartLifecycle, Supplier<CuratorFramework> {

	/**
	 * Starts before the engine and before connection factories, which are at 0, and stops
	 * after them.
	 */
	static final int PHASE = -1024;

	/**
	 * Applies only to Curator's own requests; the locks repeat requests by their own
	 * rules.
	 */
	private static final int RETRY_MILLIS = 1_000;

	private final ObjectProvider<CuratorFramework> application;

	private final ObjectProvider<ZooKeeperConnectionDetails> details;

	private final LockZooKeeperProperties properties;

	// Both fields are guarded by the monitor.
	private @Nullable CuratorFramework own;

	private @Nullable ZooKeeperTls tls;

	private volatile boolean running;

	LockCurator(ObjectProvider<CuratorFramework> application, ObjectProvider<ZooKeeperConnectionDetails> details,
			LockZooKeeperProperties properties) {
		this.application = application;
		this.details = details;
		this.properties = properties;
	}

	/**
	 * Return the Curator, started if it is our own.
	 */
	@Override
	public CuratorFramework get() {
		CuratorFramework shared = this.application.getIfAvailable();
		return (shared != null) ? shared : own();
	}

	private synchronized CuratorFramework own() {
		CuratorFramework current = this.own;
		if (current == null) {
			current = build(this.details.getObject());
			current.start();
			this.own = current;
		}
		return current;
	}

	private CuratorFramework build(ZooKeeperConnectionDetails connection) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(withoutUser(connection.getConnectString()))
			.zookeeperFactory(new PromptZookeeperFactory())
			// Connect to the configured servers only.
			.ensembleTracker(false)
			.sessionTimeoutMs((int) this.properties.sessionTimeout().toMillis())
			.connectionTimeoutMs((int) this.properties.connectionTimeout().toMillis())
			.retryPolicy(new RetryOneTime(RETRY_MILLIS));
		String auth = connection.getAuth();
		if (auth != null) {
			builder.authorization("digest", auth.getBytes(StandardCharsets.UTF_8));
		}
		SslBundle bundle = connection.getSslBundle();
		if (bundle != null) {
			ZooKeeperTls made = new ZooKeeperTls(bundle);
			this.tls = made;
			builder.zkClientConfig(made.config());
		}
		try {
			return builder.build();
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException("The servers of the locks in ZooKeeper can't be read: " + ex.getMessage(),
					"Set 'lock.zookeeper.connect-string' to a list such as 'zk1:2181,zk2:2181,zk3:2181'.", ex);
		}
	}

	private static String withoutUser(String servers) {
		if (servers.indexOf('@') >= 0) {
			throw new LockStartException(
					"'" + LockSecrets.hideUserInfo(servers)
							+ "', the servers of the locks in ZooKeeper, hold a user, which is not read there.",
					"Set 'lock.zookeeper.auth', and leave only hosts and ports in 'lock.zookeeper.connect-string'.",
					null);
		}
		return servers;
	}

	@Override
	public void start() {
		get();
		this.running = true;
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		if (this.own != null) {
			this.own.close();
			this.own = null;
		}
		if (this.tls != null) {
			this.tls.close();
			this.tls = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
