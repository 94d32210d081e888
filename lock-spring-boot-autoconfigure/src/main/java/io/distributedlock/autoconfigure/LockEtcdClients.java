package io.distributedlock.autoconfigure;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Creates the clients of the etcd of the locks, if the application has none of its own.
 */
class LockEtcdClients implements Supplier<Client> {

	/**
	 * Members close connections whose keep-alives come more often than every 5 s.
	 */
	private static final Duration KEEP_ALIVE_TIME = Duration.ofSeconds(6);

	private static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * Connecting may take longer than a call; the connection then serves later calls.
	 */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

	private final EtcdConnectionDetails details;

	private final Duration callTimeout;

	private final List<URI> members;

	private final boolean encrypted;

	/**
	 * Create the factory.
	 * @param details the connection details of etcd
	 * @param callTimeout the bound of each call
	 * @throws LockStartException if the addresses or their schemes are not usable
	 */
	LockEtcdClients(EtcdConnectionDetails details, Duration callTimeout) {
		this.details = details;
		this.callTimeout = callTimeout;
		boolean bundle = details.getSslBundle() != null;
		this.members = details.getEndpoints().stream().map((endpoint) -> uri(endpoint, bundle)).toList();
		this.encrypted = isEncrypted(this.members, bundle);
	}

	/**
	 * Return the addresses of the members, for messages.
	 */
	String address() {
		return this.members.stream().map(URI::getAuthority).collect(Collectors.joining(", "));
	}

	/**
	 * Return whether connections use TLS, as decided by the scheme of the members.
	 */
	private static boolean isEncrypted(List<URI> members, boolean bundle) {
		List<String> schemes = members.stream()
			.map((uri) -> uri.getScheme().toLowerCase(Locale.ROOT))
			.distinct()
			.toList();
		if (schemes.size() > 1) {
			throw new LockStartException(
					"The members in 'lock.etcd.endpoints' have different schemes: " + members + ".",
					"Use 'https://' for all of them, or 'http://' for all of them.", null);
		}
		boolean encrypted = schemes.contains("https");
		if (bundle && !encrypted) {
			throw new LockStartException(
					"'lock.etcd.ssl.bundle' is set, but 'lock.etcd.endpoints' asks for plain text: " + members + ".",
					"Write 'https://' in place of 'http://', or remove the bundle.", null);
		}
		return encrypted;
	}

	/**
	 * Create a client. It connects when it is used. Its calls fail immediately if it
	 * can't connect, because the locks repeat requests by their own rules.
	 */
	@Override
	public Client get() {
		ClientBuilder builder = Client.builder()
			.endpoints(this.members)
			.waitForReady(false)
			.retryMaxAttempts(0)
			.connectTimeout((this.callTimeout.compareTo(CONNECT_TIMEOUT) > 0) ? this.callTimeout : CONNECT_TIMEOUT)
			.keepaliveTime(KEEP_ALIVE_TIME)
			.keepaliveTimeout(KEEP_ALIVE_TIMEOUT)
			.interceptor(new CallTimeout(this.callTimeout));
		String user = this.details.getUser();
		String password = this.details.getPassword();
		if (user != null && password != null) {
			builder.user(bytes(user)).password(bytes(password));
		}
		else if (this.members.stream().allMatch(LockEtcdClients::isNumeric)) {
			// With a user, the driver begins logins on the thread that sends a request,
			// which must not belong to another client. And it looks up names of hosts
			// there, which can block for long.
			builder.executorService(new LockEtcdSender());
		}
		if (this.encrypted) {
			builder.sslContext(context(this.details.getSslBundle()));
		}
		return builder.build();
	}

	/**
	 * Return whether the host of a member is an IP address, which needs no look-up.
	 */
	private static boolean isNumeric(URI member) {
		String host = member.getHost();
		return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
	}

	private static URI uri(String endpoint, boolean bundle) {
		if (endpoint.indexOf('@') >= 0) {
			throw new LockStartException(
					"'" + LockSecrets.hideUserInfo(endpoint)
							+ "', one of 'lock.etcd.endpoints', holds a user, which is not read there.",
					"Set 'lock.etcd.user' and 'lock.etcd.password', and leave only host and port in the address.",
					null);
		}
		try {
			String defaultScheme = bundle ? "https://" : "http://";
			URI uri = URI.create(endpoint.contains("://") ? endpoint.strip() : defaultScheme + endpoint.strip());
			if (uri.getHost() != null && uri.getScheme().toLowerCase(Locale.ROOT).matches("https?")) {
				return uri;
			}
		}
		catch (IllegalArgumentException ex) {
			throw invalid(endpoint, ex);
		}
		throw invalid(endpoint, null);
	}

	private static LockStartException invalid(String endpoint, @Nullable Throwable cause) {
		return new LockStartException(
				"'" + endpoint + "', one of 'lock.etcd.endpoints', is not the address of a member.",
				"Set 'lock.etcd.endpoints' to a list such as 'etcd1:2379,etcd2:2379,etcd3:2379'.", cause);
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	private static SslContext context(@Nullable SslBundle bundle) {
		try {
			// By default the builder trusts the certificates that the platform trusts.
			SslContextBuilder builder = GrpcSslContexts.forClient();
			if (bundle != null) {
				apply(bundle, builder);
			}
			return builder.build();
		}
		catch (SSLException | RuntimeException ex) {
			String what = (bundle != null) ? "The SSL bundle of the locks in etcd"
					: "What this platform trusts, which 'https://' in 'lock.etcd.endpoints' relies on,";
			throw new LockStartException(what + " can't be used: " + ex.getMessage(),
					"Look at the bundle that 'lock.etcd.ssl.bundle' names, or name one.", ex);
		}
	}

	private static void apply(SslBundle bundle, SslContextBuilder builder) {
		builder.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getOptions().getEnabledProtocols() != null) {
			builder.protocols(bundle.getOptions().getEnabledProtocols());
		}
		if (bundle.getOptions().getCiphers() != null) {
			builder.ciphers(List.of(bundle.getOptions().getCiphers()));
		}
	}

	/**
	 * Limits calls at the transport too, so that abandoned calls are not sent when the
	 * connection is back.
	 */
	private record CallTimeout(Duration timeout) implements ClientInterceptor {

		@Override
		public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(MethodDescriptor<ReqT, RespT> method,
				CallOptions options, Channel next) {
			boolean bounded = method.getType() != MethodDescriptor.MethodType.UNARY || options.getDeadline() != null;
			return next.newCall(method,
					bounded ? options : options.withDeadlineAfter(this.timeout.toNanos(), TimeUnit.NANOSECONDS));
		}

	}

}
