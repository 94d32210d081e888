package io.distributedlock.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import redis.embedded.RedisServer;

/**
 * Starts one or several Redis servers for the demo, unless another instance has started
 * them. The instance that starts the first server starts the others too. They end with
 * that instance, and all other instances then lose their locks' store. Starts before
 * everything that connects to it and stops after it.
 */
@Component
@Profile({ "redis-local", "redlock-local" })
class LocalRedis implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LocalRedis.class);

	private final int[] ports;

	private final Path folder;

	private final List<RedisServer> servers = new CopyOnWriteArrayList<>();

	LocalRedis(@Value("${sample.redis.ports}") int[] ports, @Value("${sample.folder}") Path folder) {
		this.ports = ports;
		this.folder = folder;
	}

	@Override
	public void start() {
		StartupTurn.take(this.folder, this::startUnlessOpen);
	}

	private void startUnlessOpen() {
		for (int port : this.ports) {
			if (LoopbackPort.isOpen(port)) {
				logger.info("Another instance has started Redis on port {}", port);
				return;
			}
			startOn(port);
			logger.info("Started Redis on port {}", port);
		}
	}

	private void startOn(int port) {
		RedisServer created = RedisServer.builder().port(port).bind("127.0.0.1").setting("save \"\"").build();
		created.start();
		this.servers.add(created);
	}

	@Override
	public void stop() {
		this.servers.forEach(RedisServer::stop);
		this.servers.clear();
	}

	@Override
	public boolean isRunning() {
		return !this.servers.isEmpty();
	}

	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

}
