package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each auto-configuration can be excluded.
 */
class ExcludedAutoConfigurationTests {

	static Stream<Class<?>> own() {
		return ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.distributedlock."))
			.map(ExcludedAutoConfigurationTests::load);
	}

	static Stream<Class<?>> allButTheLocks() {
		return own().filter((type) -> type != LockAutoConfiguration.class);
	}

	private static Class<?> load(String name) {
		try {
			return Class.forName(name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ApplicationContextRunner without(Class<?> excluded) {
		List<Class<?>> others = Stream.concat(Stream.of(DataSourceAutoConfiguration.class), own())
			.filter((type) -> type != excluded)
			.toList();
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(others.toArray(Class<?>[]::new)))
			.withPropertyValues("lock.backend=local", "lock.backends=local,jdbc", "lock.jdbc.initialize-schema=always",
					"spring.datasource.url=" + JdbcLockAutoConfigurationTests.url());
	}

	@ParameterizedTest
	@MethodSource("own")
	void applicationWorksWithoutIt(Class<?> excluded) {
		without(excluded).run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(excluded));
	}

	@Test
	void rolesWithoutLocksEndTheStart() {
		without(LockAutoConfiguration.class).withPropertyValues("lock.leader-election.roles=reports").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.isEqualTo("The application can't be a candidate for 'lock.leader-election.roles':"
						+ " LockAutoConfiguration is excluded.");
			assertThat(analysis.getAction()).isEqualTo("Remove it from 'spring.autoconfigure.exclude' and from the"
					+ " 'exclude' of annotations, or remove the property.");
		});
	}

	@Test
	void annotatedMethodsWithoutLocksEndTheStart() {
		without(LockAutoConfiguration.class).withBean("reports", Reports.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("@DistributedLock on " + Reports.class.getName() + ".print() (bean 'reports'):"
						+ " LockAutoConfiguration is excluded, so that the method would run WITHOUT a lock; remove the"
						+ " exclusion, and set lock.backend=local for tests and for applications that run alone"));
	}

	@ParameterizedTest
	@MethodSource("allButTheLocks")
	void rolesNeedNothingButTheLocks(Class<?> excluded) {
		without(excluded).withPropertyValues("lock.leader-election.roles=reports")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Reports {

		@DistributedLock(name = "report")
		void print() {
		}

	}

}
