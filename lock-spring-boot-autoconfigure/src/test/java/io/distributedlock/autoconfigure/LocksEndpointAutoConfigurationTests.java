package io.distributedlock.autoconfigure;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.actuate.LocksDescriptors;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksEndpointWebExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocksEndpointAutoConfiguration}.
 */
class LocksEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	private final ApplicationContextRunner jmx = this.runner
		.withConfiguration(AutoConfigurations.of(JmxAutoConfiguration.class, EndpointAutoConfiguration.class,
				JacksonAutoConfiguration.class, JacksonEndpointAutoConfiguration.class,
				JmxEndpointAutoConfiguration.class))
		.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks");

	@Test
	void endpointThatIsNotExposedDoesNotExist() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void webExposureBringsTheWebExtension() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(LocksEndpointWebExtension.class));
	}

	@Test
	void jmxAloneNeedsNoWebExtension() {
		this.jmx.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
			.doesNotHaveBean(LocksEndpointWebExtension.class));
	}

	@Test
	void jmxShowsLocksAndTakesKeysAsTexts() {
		this.jmx.run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("a//b");

			Map<?, ?> instance = (Map<?, ?>) invoke("instance");
			Map<?, ?> lock = (Map<?, ?>) invoke("store", "local", "a//b", null, null);

			assertThat(instance.toString()).contains("keys=[a//b]").contains("fencingToken=" + lease.fencingToken());
			assertThat(lock.get("reason")).isEqualTo("held-here");
			assertThat(operation("store").getSignature()).extracting(MBeanParameterInfo::getType)
				.startsWith(String.class.getName(), String.class.getName());
			assertThat(operation("forceRelease")).isNull();
		});
	}

	@Test
	void jmxReleasesIfAccessIsUnrestricted() {
		this.jmx.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED").run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("k");

			Map<?, ?> released = (Map<?, ?>) invoke("forceRelease", "local", "k");

			assertThat(released.get("outcome")).isEqualTo("released");
			assertThat(lease.isHeld()).isFalse();
			assertThat(operation("forceRelease").getSignature()).extracting(MBeanParameterInfo::getName)
				.containsExactly("store", "key");
		});
	}

	private static Object invoke(String operation, Object... arguments) throws Exception {
		String[] signature = new String[arguments.length];
		return server().invoke(name(), operation, arguments, signature);
	}

	private static MBeanOperationInfo operation(String name) throws Exception {
		for (MBeanOperationInfo operation : server().getMBeanInfo(name()).getOperations()) {
			if (operation.getName().equals(name)) {
				return operation;
			}
		}
		return null;
	}

	private static MBeanServer server() {
		return ManagementFactory.getPlatformMBeanServer();
	}

	private static ObjectName name() throws Exception {
		return new ObjectName("org.springframework.boot:type=Endpoint,name=Locks");
	}

	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.boot.actuate", "org.springframework.boot.actuate.autoconfigure" })
	void withoutActuatorTheLocksWorkAsBefore(String missing) {
		new ApplicationContextRunner().withUserConfiguration(Imported.class)
			.withPropertyValues("lock.backend=local", "management.endpoints.web.exposure.include=locks")
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
			});
	}

	@Test
	void endpointOfTheApplicationTakesThePlaceOfOurs() {
		LocksEndpoint own = new LocksEndpoint("own", List::of, null, null);
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.withBean("own", LocksEndpoint.class, () -> own)
			.run((context) -> assertThat(context).getBean(LocksEndpoint.class).isSameAs(own));
	}

	@Test
	void descriptorsCanBeWrittenInANativeImage() {
		RuntimeHints hints = new RuntimeHints();

		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class,
				LocksEndpointWebExtension.class);

		for (Class<?> descriptor : LocksDescriptors.class.getDeclaredClasses()) {
			assertThat(RuntimeHintsPredicates.reflection().onType(descriptor)).accepts(hints);
		}
	}

	/**
	 * Imports by name, as an application does, without loading the classes before their
	 * conditions are known.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LocksEndpointAutoConfiguration.class })
	static class Imported {

	}

}
