package io.distributedlock.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import io.distributedlock.backend.jdbc.JdbcLockSettings.Notifications;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockJdbcProperties}.
 */
class LockJdbcPropertiesTests {

	@Test
	void waitersAreNotifiedOfReleasesByDefault() {
		assertThat(bind(Map.of()).notifications()).isEqualTo(Notifications.AUTO);
	}

	@Test
	void notificationsCanBeSwitchedOff() {
		assertThat(bind(Map.of("lock.jdbc.notifications", "off")).notifications()).isEqualTo(Notifications.OFF);
	}

	private static LockJdbcProperties bind(Map<String, String> properties) {
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("lock.jdbc",
				LockJdbcProperties.class);
	}

}
