package io.distributedlock.it.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redis.Certificate;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Encryption on the way to a PostgreSQL server. The URL of the pool decides for attempts,
 * for the kept connections and for the one that listens.
 */
@FurtherTopology
class PostgresTlsIntegrationTests {

	private static final String KEY = "order:42";

	private static EmbeddedPostgres server;

	@BeforeAll
	static void start(@TempDir Path folder) throws IOException {
		Certificate certificate = Certificate.create();
		Files.setPosixFilePermissions(certificate.key(), PosixFilePermissions.fromString("rw-------"));
		Path access = Files.writeString(folder.resolve("pg_hba.conf"), """
				hostssl all vault 127.0.0.1/32 password
				host all postgres 127.0.0.1/32 trust
				""");
		server = PostgresServer.builder(FreePorts.next())
			.setServerConfig("ssl", "on")
			.setServerConfig("ssl_cert_file", certificate.certificate().toString())
			.setServerConfig("ssl_key_file", certificate.key().toString())
			.setServerConfig("hba_file", access.toString())
			.start();
		try (HikariDataSource pool = pool(server.getPort(), "sslmode=disable&user=postgres")) {
			JdbcTestDatabase database = new JdbcTestDatabase("postgresql", pool);
			database.createTables(database.settings());
			database.update("CREATE ROLE vault LOGIN SUPERUSER PASSWORD 'topsecret'", Map.of());
		}
	}

	@AfterAll
	static void stop() throws IOException {
		server.close();
	}

	@Test
	void nothingIsReadableWithTls() {
		assertThat(wire("sslmode=require&user=vault&password=topsecret")).isNotEmpty()
			.doesNotContain(KEY, "distributed_lock", "topsecret", "vault", "UPDATE", "LISTEN", "pg_notify");
	}

	@Test
	void everythingIsReadableWithout() {
		assertThat(wire("sslmode=disable&user=postgres")).contains(KEY, "distributed_lock", "UPDATE", "LISTEN",
				"pg_notify");
	}

	private static String wire(String parameters) {
		try (TcpProxy proxy = TcpProxy.to(server.getPort())) {
			proxy.requests().record();
			proxy.answers().record();
			try (HikariDataSource pool = pool(proxy.port(), parameters)) {
				JdbcTestDatabase database = new JdbcTestDatabase("postgresql", pool);
				database.clear();
				try (JdbcTestClient client = new JdbcTestClient(pool, database.settings())) {
					LeaseGrant grant = client.acquire(KEY);
					Sleeper sleeper = new Sleeper(client.connection(), KEY).asleep();
					assertThat(client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
					assertThat(client.release(grant)).isTrue();
					sleeper.untilGranted();
				}
			}
			return proxy.requests().recorded() + proxy.answers().recorded();
		}
	}

	private static HikariDataSource pool(int port, String parameters) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres?" + parameters);
		pool.setMaximumPoolSize(6);
		pool.setMinimumIdle(0);
		return pool;
	}

}
