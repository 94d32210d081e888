package io.distributedlock.it.redis;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.rights.AclRule;

/**
 * One Redis for all tests of a JVM. It accepts only TLS, and its user has only the rights
 * that the reference requires.
 */
final class SecuredRedis {

	/**
	 * The ACL rule of the reference.
	 */
	static final AclRule RULE = AclRule.of("rights-redis");

	/**
	 * The ACL rule of the reference for users that also enter groups.
	 */
	static final AclRule RULE_WITH_GROUPS = RULE.and("rights-redis-groups");

	static final String USER = "locks";

	static final String PASSWORD = "s3cret";

	private SecuredRedis() {
	}

	static LettuceConnectionFactory lettuce() {
		return Running.FACTORY;
	}

	static int port() {
		return Running.PORT;
	}

	static Certificate certificate() {
		return Running.CERTIFICATE;
	}

	private static final class Running {

		static final Certificate CERTIFICATE = Certificate.create();

		static final int PORT = FreePorts.next();

		static final RedisProcess SERVER = RedisProcess.tls(PORT, CERTIFICATE, settings());

		static final LettuceConnectionFactory FACTORY = create();

		private static String[] settings() {
			List<String> settings = new ArrayList<>(
					List.of("--user", "default", "off", "--user", USER, "on", ">" + PASSWORD));
			settings.addAll(RULE_WITH_GROUPS.rights());
			return settings.toArray(String[]::new);
		}

		private static LettuceConnectionFactory create() {
			RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", PORT);
			configuration.setUsername(USER);
			configuration.setPassword(PASSWORD);
			SslOptions trust = SslOptions.builder().trustManager(CERTIFICATE.certificate().toFile()).build();
			return RedisFactories.lettuce(configuration,
					LettuceClientConfiguration.builder()
						.clientOptions(ClientOptions.builder().sslOptions(trust).build())
						.useSsl()
						.build());
		}

	}

}
