package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ConfiguredStores}.
 */
class ConfiguredStoresTests {

	@Test
	void withoutAListThereIsTheDefaultStoreAlone() {
		ConfiguredStores stores = names(Map.of("lock.backend", "redis"));

		assertThat(stores.standard()).isEqualTo("redis");
		assertThat(stores.further()).isEmpty();
		assertThat(stores.contains("redis")).isTrue();
		assertThat(stores.contains("jdbc")).isFalse();
	}

	@Test
	void withoutAnythingThereIsNoName() {
		ConfiguredStores stores = names(Map.of("lock.backend", " ", "lock.backends", " , "));

		assertThat(stores.isAny()).isFalse();
		assertThat(stores.standard()).isNull();
		assertThat(stores.further()).isEmpty();
		assertThat(stores.contains("jdbc")).isFalse();
	}

	@Test
	void listIsReadWithCommasAndWithIndexes() {
		assertThat(names(Map.of("lock.backends", "jdbc, redis,,jdbc")).backends()).containsExactly("jdbc", "redis");
		assertThat(names(Map.of("lock.backends[0]", "jdbc", "lock.backends[1]", "redis")).backends())
			.containsExactly("jdbc", "redis");
	}

	@Test
	void environmentVariablesAreRead() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					Map.of("LOCK_BACKENDS", "jdbc,redis", "LOCK_BACKEND", "redis")));
		ConfigurationPropertySources.attach(environment);

		ConfiguredStores stores = ConfiguredStores.of(environment);

		assertThat(stores.standard()).isEqualTo("redis");
		assertThat(stores.further()).containsExactly("jdbc");
	}

	@Test
	void onlyOneOfTheListIsTheDefaultOne() {
		ConfiguredStores stores = new ConfiguredStores(null, List.of("redis"));

		assertThat(stores.standard()).isEqualTo("redis");
		assertThat(stores.further()).isEmpty();
	}

	@Test
	void severalWithoutADefaultOneAreRefused() {
		ConfiguredStores stores = new ConfiguredStores(null, List.of("redis", "jdbc"));

		assertThatExceptionOfType(LockStartException.class).isThrownBy(stores::standard)
			.withMessageContaining("'lock.backends' lists several stores (redis, jdbc)");
		assertThatExceptionOfType(LockStartException.class).isThrownBy(stores::further);
	}

	@Test
	void defaultOneThatIsNotListedIsRefused() {
		ConfiguredStores stores = new ConfiguredStores("etcd", List.of("redis"));

		assertThatExceptionOfType(LockStartException.class).isThrownBy(stores::standard)
			.withMessageContaining("'lock.backend' is 'etcd'")
			.withMessageContaining("'lock.backends' lists: redis");
	}

	private static ConfiguredStores names(Map<String, Object> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
		ConfigurationPropertySources.attach(environment);
		return ConfiguredStores.of(environment);
	}

}
