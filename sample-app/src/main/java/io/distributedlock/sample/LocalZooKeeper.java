package io.distributedlock.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Starts a ZooKeeper for the demo, unless another instance has started it. It ends with
 * that instance, and all other instances then lose their locks' store. Starts before
 * everything that connects to it and stops after it. It keeps its data for the next
 * start, because otherwise it would grant smaller fencing tokens than the orders
 * remember.
 */
@Component
@Profile("zookeeper-local")
class LocalZooKeeper implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LocalZooKeeper.class);

	/**
	 * Sessions last for at least two ticks.
	 */
	private static final int TICK_MILLIS = 1_000;

	private final int port;

	private final Path folder;

	private volatile @Nullable TestingServer server;

	LocalZooKeeper(@Value("${sample.zookeeper.port}") int port, @Value("${sample.folder}") Path folder) {
		this.port = port;
		this.folder = folder;
	}

	@Override
	public void start() {
		StartupTurn.take(this.folder, this::startUnlessOpen);
	}

	private void startUnlessOpen() {
		if (LoopbackPort.isOpen(this.port)) {
			logger.info("Another instance has started ZooKeeper on port {}", this.port);
			return;
		}
		File data = this.folder.resolve("zookeeper").toFile();
		InstanceSpec spec = new InstanceSpec(data, this.port, -1, -1, false, -1, TICK_MILLIS, 0,
				Map.of("clientPortAddress", "127.0.0.1", "maxClientCnxns", "0"), "127.0.0.1");
		try {
			this.server = new TestingServer(spec, true);
			logger.info("Started ZooKeeper on port {}", this.port);
		}
		catch (Exception ex) {
			throw new IllegalStateException("ZooKeeper does not start on port " + this.port, ex);
		}
	}

	@Override
	public void stop() {
		TestingServer running = this.server;
		this.server = null;
		if (running != null) {
			try {
				running.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public boolean isRunning() {
		return this.server != null;
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
