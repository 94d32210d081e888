package io.distributedlock.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import redis.embedded.RedisServer;
import redis.embedded.exceptions.EmbeddedRedisException;

/**
 * Starts a Redis for the demo, unless another instance has. It ends with the instance
 * that started it, so that the others lose their locks' store then. It starts before all
 * that connects to it and stops after.
 */
@Component
@Profile("redis-local")
class LocalRedis implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LocalRedis.class);

	private final int port;

	private @Nullable RedisServer server;

	LocalRedis(@Value("${spring.data.redis.port}") int port) {
		this.port = port;
	}

	@Override
	public void start() {
		if (isThere()) {
			logger.info("Another instance has started Redis on port {}", this.port);
			return;
		}
		RedisServer created = RedisServer.builder().port(this.port).bind("127.0.0.1").setting("save \"\"").build();
		try {
			created.start();
			this.server = created;
			logger.info("Started Redis on port {}", this.port);
		}
		catch (EmbeddedRedisException ex) {
			if (!isThere()) {
				throw ex;
			}
			logger.info("Another instance was faster to start Redis on port {}", this.port);
		}
	}

	private boolean isThere() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public void stop() {
		RedisServer current = this.server;
		this.server = null;
		if (current != null) {
			current.stop();
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
