package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the metadata that editors read.
 */
class ConfigurationMetadataTests {

	private final DocumentContext metadata = metadata();

	@Test
	void everyPropertyHasADescription() {
		List<Map<String, Object>> properties = this.metadata.read("$.properties");

		assertThat(properties).hasSizeGreaterThan(10)
			.allSatisfy((property) -> assertThat((String) property.get("description")).as("%s", property.get("name"))
				.isNotBlank()
				.endsWith("."));
	}

	@Test
	void everyPropertyIsOneOfOurs() {
		List<String> names = this.metadata.read("$.properties[*].name");

		assertThat(names).allMatch((name) -> name.startsWith("lock.") || name.startsWith("management.health.locks.")
				|| name.startsWith("management.endpoint.locks."));
	}

	@Test
	void defaultsAreShown() {
		List<Object> ttl = this.metadata.read("$.properties[?(@.name == 'lock.ttl')].defaultValue");
		List<Object> schema = this.metadata.read("$.properties[?(@.name == 'lock.jdbc.schema')].defaultValue");

		assertThat(ttl).containsExactly("30s");
		assertThat(schema).containsExactly("classpath:io/distributedlock/backend/jdbc/schema-@@platform@@.sql");
	}

	@Test
	void storesThatThereAreAreSuggested() {
		for (String property : List.of("lock.backend", "lock.backends")) {
			List<String> values = this.metadata.read("$.hints[?(@.name == '" + property + "')].values[*].value");

			assertThat(values).as(property).containsExactly("jdbc", "redis", "redlock", "zookeeper", "etcd", "local");
		}
	}

	private static DocumentContext metadata() {
		try {
			URL ourClasses = LockProperties.class.getProtectionDomain().getCodeSource().getLocation();
			return JsonPath.parse(new URL(ourClasses, "META-INF/spring-configuration-metadata.json"));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
