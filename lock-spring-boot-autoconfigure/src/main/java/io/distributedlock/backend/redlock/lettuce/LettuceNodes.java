package io.distributedlock.backend.redlock.lettuce;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockNode;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.spi.LockClock;

/**
 * Creates all nodes with Lettuce, on threads that only they share. The threads end when
 * the last node is closed.
 *
 * @param endpoints the nodes
 * @param tls the trust settings of nodes with TLS, or {@code null} for the platform's
 * defaults
 * @param keyPrefix the prefix of every stored name
 * @param connectTimeout how long opening a connection may take
 * @param clock the clock of this JVM
 * @since 0.1.0
 */
public record LettuceNodes(List<RedlockEndpoint> endpoints, @Nullable SslOptions tls, String keyPrefix,
		Duration connectTimeout, LockClock clock) implements Supplier<List<RedlockNode>> {

	/**
	 * How long opening a connection may take. This happens in the background while calls
	 * end by their own timeouts, so a slow connection is available to later calls.
	 */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * How long a connection may be idle before the operating system sends a keep-alive
	 * probe.
	 */
	private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

	/**
	 * Create the source of a backend's nodes.
	 * @param endpoints the nodes, in the order of the settings
	 * @param tls the trust settings of nodes with TLS, or {@code null} for the platform's
	 * defaults
	 * @param settings the settings of the backend
	 * @param clock the clock of this JVM
	 * @return the source, which creates the nodes at each start of the backend
	 */
	public static LettuceNodes of(List<RedlockEndpoint> endpoints, @Nullable SslOptions tls, RedlockSettings settings,
			LockClock clock) {
		if (!endpoints.stream().map(RedlockEndpoint::name).toList().equals(settings.nodes())) {
			throw new IllegalArgumentException(
					"The settings are those of the nodes " + settings.nodes() + ", not of " + endpoints);
		}
		Duration connectTimeout = (settings.callTimeout().compareTo(CONNECT_TIMEOUT) > 0) ? settings.callTimeout()
				: CONNECT_TIMEOUT;
		return new LettuceNodes(endpoints, tls, settings.keyPrefix(), connectTimeout, clock);
	}

	@Override
	public List<RedlockNode> get() {
		ClientResources resources = ClientResources.builder().build();
		AtomicInteger open = new AtomicInteger(this.endpoints.size());
		Runnable closed = () -> {
			if (open.decrementAndGet() == 0) {
				// Connections that were still being opened end within the quiet period.
				resources.shutdown(200, 2000, TimeUnit.MILLISECONDS);
			}
		};
		return this.endpoints.stream()
			.<RedlockNode>map((endpoint) -> new LettuceNode(endpoint, this, resources, closed))
			.toList();
	}

	/**
	 * Return the options of the client of each node.
	 */
	ClientOptions options() {
		ClientOptions.Builder options = ClientOptions.builder()
			.autoReconnect(false)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
			.socketOptions(socketOptions());
		if (this.tls != null) {
			options.sslOptions(this.tls);
		}
		return options.build();
	}

	/**
	 * Let the operating system detect dead connections. If it can't, the watch of each
	 * session does.
	 */
	private SocketOptions socketOptions() {
		SocketOptions.Builder options = SocketOptions.builder()
			.connectTimeout(this.connectTimeout)
			.keepAlive(SocketOptions.KeepAliveOptions.builder()
				.enable()
				.idle(KEEP_ALIVE)
				.interval(KEEP_ALIVE.dividedBy(3))
				.count(3)
				.build())
			.tcpNoDelay(true);
		if (EpollProvider.isAvailable()) {
			// Only this transport supports the option.
			options.tcpUserTimeout(SocketOptions.TcpUserTimeoutOptions.builder()
				.enable()
				.tcpUserTimeout(KEEP_ALIVE.multipliedBy(2))
				.build());
		}
		return options.build();
	}

	/**
	 * Return the address and credentials of a node for the driver.
	 */
	RedisURI uri(RedlockEndpoint endpoint) {
		RedisURI.Builder uri = RedisURI.builder()
			.withHost(endpoint.host())
			.withPort(endpoint.port())
			.withSsl(endpoint.tls())
			.withTimeout(this.connectTimeout);
		String password = endpoint.password();
		if (password != null) {
			if (endpoint.username() != null) {
				uri.withAuthentication(endpoint.username(), password.toCharArray());
			}
			else {
				uri.withPassword(password.toCharArray());
			}
		}
		return uri.build();
	}

}
