package io.distributedlock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that a property with an unreadable value fails the startup with its name.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnreadablePropertiesTests {

	static Stream<String> unreadable() {
		return SecretPropertiesTests.propertiesClasses()
			// These are read only in web applications, and where the endpoint is exposed.
			.filter((type) -> !type.getSimpleName().startsWith("LockWeb")
					&& !type.getSimpleName().startsWith("LocksEndpoint"))
			.flatMap((type) -> properties(type.getAnnotation(ConfigurationProperties.class).value(), type).stream());
	}

	static Stream<String> negative() {
		return unreadable().filter((property) -> property.contains("=DURATION"));
	}

	private static List<String> properties(String prefix, Class<?> type) {
		List<String> found = new ArrayList<>();
		for (RecordComponent component : type.getRecordComponents()) {
			String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
			Class<?> value = component.getType();
			if (value.isRecord()) {
				found.addAll(properties(name, value));
			}
			else if (value == Duration.class) {
				found.add(name + "=DURATION");
			}
			else if (value.isEnum()) {
				found.add(name + "=" + value.getEnumConstants()[0]);
			}
			else if (value.isPrimitive()) {
				found.add(name + "=" + value);
			}
		}
		return found;
	}

	@ParameterizedTest
	@MethodSource("unreadable")
	void valueThatIsMisspeltEndsTheStart(String property, CapturedOutput output) {
		String name = property.substring(0, property.indexOf('='));
		String valid = property.substring(property.indexOf('=') + 1);

		start(name + "=alway");

		assertThat(output).contains("APPLICATION FAILED TO START", name, "alway").doesNotContain("\tat ");
		if (!valid.equals("DURATION") && Character.isUpperCase(valid.charAt(0))) {
			assertThat(output).contains("Action:", valid);
		}
	}

	@ParameterizedTest
	@Tag("topology")
	@MethodSource("negative")
	void negativeTimeEndsTheStart(String property, CapturedOutput output) {
		String name = property.substring(0, property.indexOf('='));

		start(name + "=-1s");

		assertThat(output).contains("APPLICATION FAILED TO START", name).doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lock.key-prefix=${shop.prefix}:             | Invalid value '${shop.prefix}:' for configuration property 'lock.key-prefix'
					lock.leader-election.roles=reports,${shop}  | Invalid value 'reports,${shop}' for configuration property 'lock.leader-election.roles'
					lock.backend=${shop.store}                  | 'lock.backend' names '${shop.store}', which is neither a store
					lock.backends=local,${shop.store}           | 'lock.backends' names '${shop.store}', which is neither a store
					lock.leader-election.backend=${shop.store}  | There is no store '${shop.store}' for the locks of leaders
					""")
	void placeholderWithoutAPropertyEndsTheStart(String property, String problem, CapturedOutput output) {
		start(property);

		assertThat(output).contains("APPLICATION FAILED TO START", problem, "${shop").doesNotContain("\tat ");
	}

	private static void start(String property) {
		SpringApplication application = new SpringApplication(EveryStore.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		String store = Stream.of("jdbc", "redis", "redlock", "zookeeper", "etcd")
			.filter((name) -> property.startsWith("lock." + name + "."))
			.findFirst()
			.orElse("local");

		assertThatException().isThrownBy(() -> application.run(Stream
			.of("spring.config.location=optional:classpath:/none/", "lock.backend=" + store, "lock.fail-fast=false",
					"lock.call-timeout=50ms", "lock.jdbc.initialize-schema=always",
					"spring.datasource.url=" + JdbcLockAutoConfigurationTests.url(), "spring.data.redis.port=1",
					"lock.redlock.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3",
					"lock.redis.failover-quarantine=true", "lock.zookeeper.connect-string=127.0.0.1:1",
					"lock.etcd.endpoints=127.0.0.1:1", "lock.leader-election.roles=reports", property)
			// A value that is set twice would become two values.
			.filter((other) -> other.equals(property)
					|| !other.startsWith(property.substring(0, property.indexOf('=') + 1)))
			.map("--"::concat)
			.toArray(String[]::new)));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			LockFencingAutoConfiguration.class, LockLeaderElectionAutoConfiguration.class,
			LockRegistryAutoConfiguration.class })
	static class EveryStore {

	}

}
