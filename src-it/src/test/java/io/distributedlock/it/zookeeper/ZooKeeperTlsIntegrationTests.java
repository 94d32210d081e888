package io.distributedlock.it.zookeeper;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a ZooKeeper server that uses TLS and only admits clients with a known
 * certificate.
 */
@FurtherTopology
class ZooKeeperTlsIntegrationTests {

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static final KeyFiles known = KeyFiles.create();

	private static final int PORT = FreePorts.next();

	private static final int PLAIN_PORT = FreePorts.next();

	private static final String PASSWORD = "a-secret-password";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=zookeeper", "lock.zookeeper.connect-string=127.0.0.1:" + PORT,
				"lock.zookeeper.ssl.bundle=locks");

	@BeforeAll
	static void start() {
		ZooKeeperProcess server = new ZooKeeperProcess(processes, 1, PLAIN_PORT,
				List.of("secureClientPort=" + PORT, "secureClientPortAddress=127.0.0.1",
						"serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
						"ssl.keyStore.location=" + known.keys(), "ssl.keyStore.password=" + KeyFiles.PASSWORD,
						"ssl.trustStore.location=" + known.trusted(), "ssl.trustStore.password=" + KeyFiles.PASSWORD));
		server.start();
		server.awaitMode("standalone");
	}

	@Test
	void bundleOfTheApplicationOpensTheConnection() {
		this.runner.withPropertyValues("lock.call-timeout=30s")
			.withPropertyValues(bundle(known, known))
			.run((context) -> assertThat(context.getBean(LockTemplate.class).execute("key", Lease::isHeld)).isTrue());
	}

	@Test
	void clientThatTheServerDoesNotKnowIsNotLetIn() {
		this.runner.withPropertyValues("lock.call-timeout=500ms", "lock.startup-timeout=3s")
			.withPropertyValues(bundle(KeyFiles.create(), known))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void serverThatTheClientDoesNotKnowIsNotTrusted() {
		this.runner.withPropertyValues("lock.call-timeout=500ms", "lock.startup-timeout=3s")
			.withPropertyValues(bundle(known, KeyFiles.create()))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void nothingIsReadableOnTheWayWithABundle() {
		try (TcpProxy wire = TcpProxy.recording(PORT)) {
			this.runner.withPropertyValues(bundle(known, known))
				.withPropertyValues(authenticated(wire))
				.run(lock("bundle"));

			assertThat(wire.requests().recorded()).isNotEmpty()
				.doesNotContain(PASSWORD)
				.doesNotContain("locker")
				.doesNotContain("a-well-known-key");
		}
	}

	@Test
	void passwordIsReadableOnTheWayWithoutABundle() {
		try (TcpProxy wire = TcpProxy.recording(PLAIN_PORT)) {
			this.runner.withPropertyValues(authenticated(wire))
				.withPropertyValues("lock.zookeeper.ssl.bundle=")
				.run(lock("plain"));

			assertThat(wire.requests().recorded()).contains("locker:" + PASSWORD).contains("a-well-known-key");
		}
	}

	private static String[] authenticated(TcpProxy wire) {
		return new String[] { "lock.zookeeper.connect-string=127.0.0.1:" + wire.port(),
				"lock.zookeeper.auth=locker:" + PASSWORD, "lock.zookeeper.root=/wire", "lock.call-timeout=30s" };
	}

	private static ContextConsumer<AssertableApplicationContext> lock(String suffix) {
		return (context) -> assertThat(
				context.getBean(LockTemplate.class).execute("a-well-known-key-" + suffix, Lease::isHeld))
			.isTrue();
	}

	private static String[] bundle(KeyFiles keys, KeyFiles trusted) {
		String prefix = "spring.ssl.bundle.jks.locks.";
		return new String[] { prefix + "keystore.location=file:" + keys.keys(),
				prefix + "keystore.password=" + KeyFiles.PASSWORD, prefix + "keystore.type=PKCS12",
				prefix + "truststore.location=file:" + trusted.trusted(),
				prefix + "truststore.password=" + KeyFiles.PASSWORD, prefix + "truststore.type=PKCS12" };
	}

}
