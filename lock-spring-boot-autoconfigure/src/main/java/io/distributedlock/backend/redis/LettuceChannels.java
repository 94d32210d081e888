package io.distributedlock.backend.redis;

import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;

/**
 * Breaks what Lettuce is connected by. The driver then connects again by itself and sends
 * again what has no answer, as after any other break; whoever shares the connection keeps
 * it.
 */
final class LettuceChannels {

	private LettuceChannels() {
	}

	/**
	 * Break a connection.
	 * @param connection the connection to one server
	 * @return {@code false} if it hides what it is connected by, as one to static
	 * replicas does
	 */
	static boolean disconnect(StatefulConnection<?, ?> connection) {
		if (connection instanceof RedisChannelHandler<?, ?> handler
				&& endpoint(handler.getChannelWriter()) instanceof DefaultEndpoint endpoint) {
			endpoint.disconnect();
			return true;
		}
		return false;
	}

	private static RedisChannelWriter endpoint(RedisChannelWriter writer) {
		if (writer instanceof CommandExpiryWriter expiring) {
			return endpoint(expiring.getDelegate());
		}
		if (writer instanceof CommandListenerWriter listened) {
			return endpoint(listened.getDelegate());
		}
		return writer;
	}

}
