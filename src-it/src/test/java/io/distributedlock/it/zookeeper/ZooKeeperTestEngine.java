package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.zookeeper.ZooKeeperLockSettings;
import io.distributedlock.backend.zookeeper.ZooKeeperRoute;
import io.distributedlock.backend.zookeeper.ZooKeeperTestClient;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseRetention;

/**
 * The engine of one JVM on ZooKeeper, with its own session and its own route to the
 * servers.
 */
final class ZooKeeperTestEngine implements AutoCloseable {

	static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

	private final SystemLockClock clock = new SystemLockClock();

	private final ZooKeeperTestClient client;

	private final LockEngine engine;

	private final LockTemplate template;

	ZooKeeperTestEngine(Supplier<ZooKeeperRoute> routes, String root, Duration sessionTimeout) {
		this(routes, root, sessionTimeout, CALL_TIMEOUT);
	}

	ZooKeeperTestEngine(Supplier<ZooKeeperRoute> routes, String root, Duration sessionTimeout, Duration callTimeout) {
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(root, "lock:", "test@host:1", callTimeout,
				Duration.ofHours(24));
		this.client = ZooKeeperTestClient.of(routes, sessionTimeout, settings, this.clock);
		EngineSettings defaults = new EngineSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), null, callTimeout,
				Duration.ofSeconds(5), HandOverSettings.DEFAULTS);
		this.engine = new LockEngine(this.client, defaults, this.clock, List.of(), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
	}

	ZooKeeperTestClient client() {
		return this.client;
	}

	ProxyRoute route() {
		return (ProxyRoute) this.client.route();
	}

	void start() {
		this.engine.start();
	}

	LockTemplate template() {
		return this.template;
	}

	@Override
	public void close() {
		this.engine.stop();
		this.clock.close();
	}

}
