package io.distributedlock.it.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lettuce.core.SslOptions;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.redis.Certificate;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.it.rights.AclRule;

/**
 * Three nodes for all tests of a JVM. They use TLS only, and their user has only the
 * rights that the reference requires.
 */
final class SecuredRedlock {

	/**
	 * The rule of the reference.
	 */
	static final AclRule RULE = AclRule.of("rights-redlock");

	static final String USER = "locks";

	static final String PASSWORD = "s3cret";

	private SecuredRedlock() {
	}

	static Certificate certificate() {
		return Running.CERTIFICATE;
	}

	static List<String> urls() {
		return Running.PORTS.stream()
			.map((port) -> "rediss://" + USER + ":" + PASSWORD + "@127.0.0.1:" + port)
			.toList();
	}

	static List<RedlockEndpoint> endpoints() {
		return urls().stream().map(RedlockEndpoint::parse).toList();
	}

	static SslOptions tls() {
		return SslOptions.builder().trustManager(certificate().certificate().toFile()).build();
	}

	private static final class Running {

		static final Certificate CERTIFICATE = Certificate.create();

		static final List<Integer> PORTS = IntStream.range(0, 3).mapToObj((index) -> start()).toList();

		private static int start() {
			List<String> settings = new ArrayList<>(
					List.of("--user", "default", "off", "--user", USER, "on", ">" + PASSWORD));
			settings.addAll(RULE.rights());
			return RedisProcess.tls(FreePorts.next(), CERTIFICATE, settings.toArray(String[]::new)).port();
		}

	}

}
