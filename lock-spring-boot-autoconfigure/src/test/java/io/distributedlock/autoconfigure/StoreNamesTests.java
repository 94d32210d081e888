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
 * Tests for {@link StoreNames}.
 */
class StoreNamesTests {

	@Test
	void withoutAListThereIsTheDefaultStoreAlone() {
		StoreNames names = names(Map.of("lock.backend", "redis"));

		assertThat(names.standard()).isEqualTo("redis");
		assertThat(names.further()).isEmpty();
		assertThat(names.contains("redis")).isTrue();
		assertThat(names.contains("jdbc")).isFalse();
	}

	@Test
	void withoutAnythingThereIsNoName() {
		StoreNames names = names(Map.of("lock.backend", " ", "lock.backends", " , "));

		assertThat(names.isAny()).isFalse();
		assertThat(names.standard()).isNull();
		assertThat(names.further()).isEmpty();
		assertThat(names.contains("jdbc")).isFalse();
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

		StoreNames names = StoreNames.of(environment);

		assertThat(names.standard()).isEqualTo("redis");
		assertThat(names.further()).containsExactly("jdbc");
	}

	@Test
	void onlyOneOfTheListIsTheDefaultOne() {
		StoreNames names = new StoreNames(null, List.of("redis"));

		assertThat(names.standard()).isEqualTo("redis");
		assertThat(names.further()).isEmpty();
	}

	@Test
	void severalWithoutADefaultOneAreRefused() {
		StoreNames names = new StoreNames(null, List.of("redis", "jdbc"));

		assertThatExceptionOfType(LockStartException.class).isThrownBy(names::standard)
			.withMessageContaining("'lock.backends' lists several stores (redis, jdbc)");
		assertThatExceptionOfType(LockStartException.class).isThrownBy(names::further);
	}

	@Test
	void defaultOneThatIsNotListedIsRefused() {
		StoreNames names = new StoreNames("etcd", List.of("redis"));

		assertThatExceptionOfType(LockStartException.class).isThrownBy(names::standard)
			.withMessageContaining("'lock.backend' is 'etcd'")
			.withMessageContaining("'lock.backends' lists: redis");
	}

	private static StoreNames names(Map<String, Object> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
		ConfigurationPropertySources.attach(environment);
		return StoreNames.of(environment);
	}

}
