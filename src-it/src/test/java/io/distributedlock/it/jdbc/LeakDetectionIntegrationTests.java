package io.distributedlock.it.jdbc;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.FurtherTopology;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hikari's leak detection for the connections that the store keeps.
 */
@FurtherTopology
@ExtendWith(OutputCaptureExtension.class)
class LeakDetectionIntegrationTests {

	@Test
	void keptConnectionsAreReportedByTheNamesOfTheirThreads(CapturedOutput output) {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl("jdbc:h2:mem:leaks;DB_CLOSE_DELAY=-1");
			pool.setLeakDetectionThreshold(2_000);
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
				.withBean(DataSource.class, () -> pool, (definition) -> definition.setDestroyMethodName(""))
				.withPropertyValues("lock.backend=jdbc")
				.run((context) -> Awaitility.await()
					.untilAsserted(
							() -> assertThat(output).contains("on thread lock-jdbc-release-1, stack trace follows")
								.contains("on thread lock-jdbc-renewal-1, stack trace follows")));
		}
	}

}
