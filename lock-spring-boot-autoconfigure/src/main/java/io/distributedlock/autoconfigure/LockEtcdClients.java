package io.distributedlock.autoconfigure;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * Makes the clients of the etcd of the locks, where the application has none of its own.
 */
class LockEtcdClients implements Supplier<Client> {

	/**
	 * Members take it ill when they are asked more often than each 5 s.
	 */
	private static final Duration KEEP_ALIVE_TIME = Duration.ofSeconds(6);

	private static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(3);

	private final EtcdConnectionDetails details;

	private final Duration callTimeout;

	LockEtcdClients(EtcdConnectionDetails details, Duration callTimeout) {
		this.details = details;
		this.callTimeout = callTimeout;
	}

	/**
	 * Make a client. It connects when it is used, and tells at once where it can't; the
	 * locks have their own way to repeat.
	 */
	@Override
	public Client get() {
		ClientBuilder builder = Client.builder()
			.endpoints(this.details.getEndpoints().stream().map(LockEtcdClients::uri).toList())
			.waitForReady(false)
			.retryMaxAttempts(0)
			.connectTimeout(this.callTimeout)
			.keepaliveTime(KEEP_ALIVE_TIME)
			.keepaliveTimeout(KEEP_ALIVE_TIMEOUT)
			.interceptor(new CallTimeout(this.callTimeout));
		String user = this.details.getUser();
		String password = this.details.getPassword();
		if (user != null && password != null) {
			builder.user(bytes(user)).password(bytes(password));
		}
		SslBundle bundle = this.details.getSslBundle();
		if (bundle != null) {
			builder.sslContext(context(bundle));
		}
		return builder.build();
	}

	private static URI uri(String endpoint) {
		try {
			URI uri = URI.create(endpoint.contains("://") ? endpoint.strip() : "http://" + endpoint.strip());
			if (uri.getHost() != null) {
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

	private static SslContext context(SslBundle bundle) {
		SslContextBuilder builder = GrpcSslContexts.forClient()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getOptions().getEnabledProtocols() != null) {
			builder.protocols(bundle.getOptions().getEnabledProtocols());
		}
		if (bundle.getOptions().getCiphers() != null) {
			builder.ciphers(List.of(bundle.getOptions().getCiphers()));
		}
		try {
			return builder.build();
		}
		catch (SSLException ex) {
			throw new LockStartException("The SSL bundle of the locks in etcd can't be used: " + ex.getMessage(),
					"Look at the bundle that 'lock.etcd.ssl.bundle' names.", ex);
		}
	}

	/**
	 * Bounds calls at the transport too, so that what nobody waits for any more is not
	 * sent when the connection is back.
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
