package io.distributedlock.backend.redlock;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * The address of a node, and the credentials for it.
 *
 * @param host the host
 * @param port the port
 * @param username the user, or {@code null} for the default one
 * @param password the password, or {@code null} if there is none
 * @param tls whether to use TLS
 * @since 0.1.0
 */
public record RedlockEndpoint(String host, int port, @Nullable String username, @Nullable String password,
		boolean tls) {

	private static final int DEFAULT_PORT = 6379;

	/**
	 * Parse a URL of the form {@code redis://user:password@host:port}, with
	 * {@code rediss} for TLS.
	 * @param url the URL
	 * @return the endpoint
	 * @throws IllegalArgumentException if the URL has another form; the message contains
	 * no credentials
	 */
	public static RedlockEndpoint parse(String url) {
		URI uri;
		try {
			uri = new URI(url.strip());
		}
		catch (URISyntaxException ex) {
			// Not as the cause, since its message repeats the whole URL with the
			// password.
			throw new IllegalArgumentException("it is not a URL: " + ex.getReason() + " at index " + ex.getIndex());
		}
		boolean tls = "rediss".equalsIgnoreCase(uri.getScheme());
		if (!tls && !"redis".equalsIgnoreCase(uri.getScheme())) {
			throw new IllegalArgumentException("it does not begin with redis:// or rediss://");
		}
		if (uri.getHost() == null) {
			throw new IllegalArgumentException("it names no host, as redis://host:port does");
		}
		boolean more = uri.getPath() != null && !uri.getPath().isEmpty() && !uri.getPath().equals("/");
		if (more || uri.getQuery() != null || uri.getFragment() != null) {
			throw new IllegalArgumentException("it has something after the port: locks are always in database 0");
		}
		int port = (uri.getPort() >= 0) ? uri.getPort() : DEFAULT_PORT;
		String host = uri.getHost().toLowerCase(Locale.ROOT);
		// An IPv6 address is in brackets in a URL only.
		String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
		return new RedlockEndpoint(plain, port, username(uri), password(uri), tls);
	}

	private static @Nullable String username(URI uri) {
		String user = uri.getRawUserInfo();
		int colon = (user != null) ? user.indexOf(':') : -1;
		return (user != null && colon > 0) ? decode(user.substring(0, colon)) : null;
	}

	private static @Nullable String password(URI uri) {
		String user = uri.getRawUserInfo();
		return (user == null || user.isEmpty()) ? null : decode(user.substring(user.indexOf(':') + 1));
	}

	private static String decode(String text) {
		return StringUtils.uriDecode(text, StandardCharsets.UTF_8);
	}

	/**
	 * Return the name by which all clients must know the node: {@code host:port}.
	 * @return the name
	 */
	public String name() {
		return ((this.host.indexOf(':') >= 0) ? "[" + this.host + "]" : this.host) + ":" + this.port;
	}

	@Override
	public String toString() {
		return name();
	}

}
