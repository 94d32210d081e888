package io.distributedlock.it.stores;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.contract.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract that the password of a server is shown neither by a successful startup nor by
 * one with a wrong password.
 */
public abstract class SecretsContract {

	private static final String WRONG = "m4rk3r";

	/**
	 * Return the properties of an application that uses the store.
	 * @param password the password
	 * @return the properties, {@code name=value}
	 */
	protected abstract List<String> properties(String password);

	/**
	 * Return the password that the server expects.
	 * @return the password
	 */
	protected abstract String password();

	@Test
	protected final void passwordOfAStartThatWorksIsNotShown() {
		try (CapturedLog log = capture()) {
			runner(password()).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LockTemplate.class).execute("key", Lease::isHeld)).isTrue();
				Arrays.stream(context.getBeanNamesForType(Object.class, false, false))
					.filter((name) -> name.toLowerCase().contains("lock"))
					.forEach((name) -> assertThat(context.getBean(name).toString()).doesNotContain(password()));
			});

			assertThat(log.lines()).isNotEmpty().noneMatch((line) -> line.toString().contains(password()));
		}
	}

	@Test
	protected final void wrongPasswordIsNotShown() {
		try (CapturedLog log = capture()) {
			runner(WRONG).run((context) -> {
				assertThat(context).hasFailed();
				StringWriter trace = new StringWriter();
				context.getStartupFailure().printStackTrace(new PrintWriter(trace));
				assertThat(trace.toString()).doesNotContain(WRONG);
			});

			assertThat(log.lines()).isNotEmpty().noneMatch((line) -> line.toString().contains(WRONG));
		}
	}

	private static CapturedLog capture() {
		return CapturedLog.atDebug("io.distributedlock", "io.lettuce", "io.etcd", "org.apache.curator",
				"org.apache.zookeeper", "org.springframework.beans");
	}

	private ApplicationContextRunner runner(String password) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.startup-timeout=0s")
			.withPropertyValues(properties(password).toArray(String[]::new));
	}

}
