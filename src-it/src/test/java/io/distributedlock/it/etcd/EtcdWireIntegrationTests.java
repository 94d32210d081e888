package io.distributedlock.it.etcd;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that data for etcd is readable on the way only if plain text was configured.
 */
@RequiresEtcd
class EtcdWireIntegrationTests {

	private static final String PLAIN_HTTP_2 = "PRI * HTTP/2.0";

	private final String key = EtcdTestClient.newKey();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=etcd", "lock.fail-fast=false");

	@Test
	void plainTextIsReadableWhereItWasAskedFor() {
		try (TcpProxy wire = TcpProxy.recording(EtcdServer.process().port())) {
			this.runner.withPropertyValues("lock.etcd.endpoints=http://127.0.0.1:" + wire.port())
				.run((context) -> context.getBean(LockTemplate.class).acquire(this.key).release());

			assertThat(wire.requests().recorded()).contains(PLAIN_HTTP_2, this.key);
		}
	}

	@Test
	void nothingIsReadableWithABundle() {
		try (TcpProxy wire = TcpProxy.recording(SecuredEtcd.port())) {
			secured(wire)
				.withPropertyValues("lock.etcd.ssl.bundle=locks",
						"spring.ssl.bundle.pem.locks.truststore.certificate=" + SecuredEtcd.certificate())
				.run((context) -> context.getBean(LockTemplate.class).acquire(this.key).release());

			assertNothingIsReadable(wire);
		}
	}

	@Test
	void certificateThatThePlatformTrustsIsEnoughForHttps(@TempDir Path folder) throws Exception {
		String former = System.getProperty("javax.net.ssl.trustStore");
		System.setProperty("javax.net.ssl.trustStore", trustStore(folder).toString());
		System.setProperty("javax.net.ssl.trustStorePassword", "changeit");
		try (TcpProxy wire = TcpProxy.recording(SecuredEtcd.port())) {
			secured(wire).run((context) -> context.getBean(LockTemplate.class).acquire(this.key).release());

			assertNothingIsReadable(wire);
		}
		finally {
			System.clearProperty("javax.net.ssl.trustStorePassword");
			if (former != null) {
				System.setProperty("javax.net.ssl.trustStore", former);
			}
			else {
				System.clearProperty("javax.net.ssl.trustStore");
			}
		}
	}

	@Test
	void httpsWithoutABundleIsNeverSpokenInPlainText() {
		// This server would understand plain text.
		try (TcpProxy wire = TcpProxy.recording(EtcdServer.process().port())) {
			assertRefused(secured(wire));

			assertNothingIsReadable(wire);
		}
	}

	@Test
	void certificateForAnotherHostIsRefused() {
		try (TcpProxy wire = TcpProxy.recording(SecuredEtcd.port())) {
			assertRefused(secured(wire).withPropertyValues("lock.etcd.endpoints=https://localhost:" + wire.port(),
					"lock.etcd.ssl.bundle=locks",
					"spring.ssl.bundle.pem.locks.truststore.certificate=" + SecuredEtcd.certificate()));

			assertNothingIsReadable(wire);
		}
	}

	@Test
	void certificateThatThePlatformDoesNotTrustIsRefused() {
		try (TcpProxy wire = TcpProxy.recording(SecuredEtcd.port())) {
			secured(wire).withPropertyValues("lock.fail-fast=true", "lock.call-timeout=1s", "lock.startup-timeout=2s")
				.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("can't keep the locks"));

			assertNothingIsReadable(wire);
		}
	}

	private void assertRefused(ApplicationContextRunner application) {
		application.withPropertyValues("lock.call-timeout=1s")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class)
					.acquire(LockRequest.of(this.key).waitTime(Duration.ofMillis(500)))));
	}

	private ApplicationContextRunner secured(TcpProxy wire) {
		return this.runner.withPropertyValues("lock.etcd.endpoints=https://127.0.0.1:" + wire.port(),
				"lock.etcd.user=" + SecuredEtcd.USER, "lock.etcd.password=" + SecuredEtcd.PASSWORD);
	}

	private void assertNothingIsReadable(TcpProxy wire) {
		assertThat(wire.requests().recorded()).isNotEmpty()
			.doesNotContain(PLAIN_HTTP_2)
			.doesNotContain(this.key)
			.doesNotContain("locks/")
			.doesNotContain(SecuredEtcd.PASSWORD);
	}

	private static Path trustStore(Path folder) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");
		store.load(null, null);
		try (var certificate = Files.newInputStream(SecuredEtcd.certificate())) {
			store.setCertificateEntry("etcd", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
		}
		Path file = folder.resolve("trust.p12");
		try (var out = Files.newOutputStream(file)) {
			store.store(out, "changeit".toCharArray());
		}
		return file;
	}

}
