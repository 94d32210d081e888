package io.distributedlock.autoconfigure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.context.properties.ConfigurationPropertiesReportEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.env.EnvironmentEndpointAutoConfiguration;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.core.type.filter.TypeFilter;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

import io.distributedlock.contract.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that no password of the properties is shown anywhere.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecretPropertiesTests {

	private static final String MARKER = "m4rk3r";

	private static final Set<String> SECRETS = Set.of("password", "auth");

	private static final Set<String> ADDRESSES = Set.of("nodes", "endpoints", "connectString");

	/**
	 * Texts that are not secrets. Additions to a properties class have to be put into one
	 * of the sets.
	 */
	private static final Set<String> SHOWN = Set.of("backend", "backends", "keyPrefix", "instanceId", "roles", "user",
			"bundle", "namespace", "platform", "schema", "table", "readerTable", "root", "tokenEpoch");

	static Stream<Class<?>> propertiesClasses() {
		return find(new AnnotationTypeFilter(ConfigurationProperties.class));
	}

	static Stream<Class<?>> detailsClasses() {
		return find(new AssignableTypeFilter(ConnectionDetails.class)).filter((type) -> !type.isInterface());
	}

	private static Stream<Class<?>> find(TypeFilter filter) {
		ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
		scanner.addIncludeFilter(filter);
		return scanner.findCandidateComponents("io.distributedlock.autoconfigure")
			.stream()
			.<Class<?>>map((candidate) -> ClassUtils.resolveClassName(candidate.getBeanClassName(), null))
			.filter((type) -> !type.getName().endsWith("Tests") && !type.getName().contains("Tests$"));
	}

	@Test
	void classesAreFound() {
		assertThat(propertiesClasses()).contains(LockEtcdProperties.class, LockZooKeeperProperties.class,
				LockRedlockProperties.class, LockProperties.class);
		assertThat(detailsClasses()).contains(PropertiesEtcdConnectionDetails.class,
				PropertiesRedlockConnectionDetails.class, PropertiesZooKeeperConnectionDetails.class);
	}

	@ParameterizedTest
	@MethodSource("propertiesClasses")
	void propertiesDoNotShowSecrets(Class<?> type) {
		Map<String, String> texts = texts(type);

		assertThat(bind(type).toString()).doesNotContain(MARKER)
			.contains(texts.isEmpty() ? "[" : texts.keySet().iterator().next().replaceFirst(".*\\.", "") + "=");
	}

	@ParameterizedTest
	@MethodSource("detailsClasses")
	void connectionDetailsDoNotShowSecrets(Class<?> type) throws Exception {
		Constructor<?> constructor = type.getDeclaredConstructors()[0];
		constructor.setAccessible(true);
		Object[] arguments = Arrays.stream(constructor.getParameterTypes())
			.map(SecretPropertiesTests::argument)
			.toArray();
		ConnectionDetails details = (ConnectionDetails) constructor.newInstance(arguments);

		assertThat(details.toString()).doesNotContain(MARKER);
		if (details instanceof RedlockConnectionDetails nodes) {
			assertThat(nodes.getNodes()).hasSize(3).allMatch((node) -> MARKER.equals(node.password()));
			assertThat(nodes.getNodes().toString()).doesNotContain(MARKER);
		}
	}

	private static Object argument(Class<?> type) {
		return (type == ObjectProvider.class) ? new ObjectProvider<>() {
		} : bind(type);
	}

	private static Object bind(Class<?> type) {
		return new Binder(new MapConfigurationPropertySource(texts(type)))
			.bindOrCreate(type.getAnnotation(ConfigurationProperties.class).value(), type);
	}

	/**
	 * Return a secret value for each text property.
	 */
	private static Map<String, String> texts(Class<?> type) {
		Map<String, String> texts = new TreeMap<>();
		collect(type.getAnnotation(ConfigurationProperties.class).value() + ".", type, texts);
		return texts;
	}

	private static void collect(String prefix, Class<?> type, Map<String, String> texts) {
		for (RecordComponent component : type.getRecordComponents()) {
			String name = component.getName();
			if (component.getType().isRecord()) {
				collect(prefix + name + ".", component.getType(), texts);
			}
			else if (SECRETS.contains(name)) {
				texts.put(prefix + name, MARKER);
			}
			else if (ADDRESSES.contains(name)) {
				texts.put(prefix + name, addresses());
			}
			else {
				assertThat(isText(component) && !SHOWN.contains(name)).as("is %s%s a secret?", prefix, name).isFalse();
			}
		}
	}

	private static boolean isText(RecordComponent component) {
		return component.getType() == String.class
				|| component.getGenericType() instanceof ParameterizedType parameterized
						&& List.of(parameterized.getActualTypeArguments()).contains(String.class);
	}

	private static String addresses() {
		return "redis://locks:%1$s@h1:1,rediss://:%1$s@h2:2,redis://u:%1$s@h3:3".formatted(MARKER);
	}

	@ParameterizedTest
	@CsvSource({ "host:1, host:1", "http://host, http://host", "'a:1,b:2/root', 'a:1,b:2/root'", "[::1]:7, [::1]:7",
			"http://u:p@host:1, http://******@host:1", "'u:p@h:1,h:2', '******@h:1,h:2'",
			"redis://u:p@q@h:1, redis://******@h:1", "redis://u:p/q@h:1, redis://******@h:1",
			"'redis://u:p,q@h:1', redis://******@h:1", "'redis://u:12,34@h:1', redis://******@h:1",
			"'u:12,34@h:1', ******@h:1", "'h1:1,u:p@h2:2', ******@h2:2",
			"'redis://a:1,redis://u:p@b:2', 'redis://a:1,redis://******@b:2'" })
	void usersOfAddressesAreHidden(String addresses, String shown) {
		assertThat(LockSecrets.hideUserInfo(addresses)).isEqualTo(shown);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					lock.backend=etcd lock.etcd.endpoints=127.0.0.1:1 lock.etcd.user=u lock.etcd.password=m4rk3r | The store 'etcd' at 127.0.0.1:1 can't keep the locks
					lock.etcd.endpoints=127.0.0.1:1 lock.etcd.password=m4rk3r | Of the user and the password of the locks in etcd, the user is missing.
					lock.etcd.endpoints=http://u:m4rk3r@127.0.0.1:1 | 'http://******@127.0.0.1:1', one of 'lock.etcd.endpoints', holds a user, which is not read there.
					lock.etcd.endpoints=https://127.0.0.1:1,http://u:m4rk3r@127.0.0.1:1 | 'http://******@127.0.0.1:1', one of 'lock.etcd.endpoints', holds a user, which is not read there.
					lock.etcd.endpoints=etcds://u:m4rk3r@127.0.0.1:1 | 'etcds://******@127.0.0.1:1', one of 'lock.etcd.endpoints', holds a user, which is not read there.
					lock.etcd.endpoints=127.0.0.1:1 lock.etcd.user=u lock.etcd.password=m4rk3r lock.etcd.session-ttl=never | lock.etcd.session-ttl
					lock.redlock.nodes=redis://u:m4rk3r@127.0.0.1:1,redis://u:m4rk3r@127.0.0.1:2,redis://u:m4rk3r@127.0.0.1:3 | The store 'redlock' at 127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3 can't keep the locks
					lock.redlock.nodes=redis://u:m4rk3r%@127.0.0.1:1,redis://a,redis://b | 'lock.redlock.nodes[0]' can't be read: it is not a URL
					lock.redlock.nodes=http://u:m4rk3r@127.0.0.1:1,redis://a,redis://b | 'lock.redlock.nodes[0]' can't be read: it does not begin with redis:// or rediss://
					lock.redlock.nodes=redis://u:m4rk3r/x@127.0.0.1:1,redis://a,redis://b | 'lock.redlock.nodes[0]' can't be read
					lock.redlock.nodes=redis://u:m4rk3r@127.0.0.1:1/1,redis://a,redis://b | 'lock.redlock.nodes[0]' can't be read
					lock.redlock.nodes=redis://u:m4rk3r@127.0.0.1:1,redis://u:m4rk3r@127.0.0.1:2 | A Redlock needs an odd number of nodes (lock.redlock.nodes), at least 3, but there are 2.
					lock.redlock.nodes=redis://u:m4rk3r@a,redis://u:m4rk3r@b,redis://u:m4rk3r@c lock.redlock.ssl.bundle=none | The SSL bundle 'none', which 'lock.redlock.ssl.bundle' names, does not exist.
					lock.redlock.nodes=redis://u:m4rk3r@a,redis://u:m4rk3r@b,redis://u:m4rk3r@c lock.redlock.max-ttl=1s | The ttl (lock.ttl) is PT30S, and the longest ttl (lock.redlock.max-ttl) PT1S.
					lock.zookeeper.connect-string=127.0.0.1:1 lock.zookeeper.auth=u:m4rk3r | The store 'zookeeper' at 127.0.0.1:1 can't keep the locks
					lock.zookeeper.connect-string=127.0.0.1:1 lock.zookeeper.auth=m4rk3r | The property 'lock.zookeeper.auth' is not of the form user:password.
					lock.zookeeper.connect-string=u:m4rk3r@127.0.0.1:1 | '******@127.0.0.1:1', the servers of the locks in ZooKeeper, hold a user, which is not read there.
					""")
	void startsThatFailDoNotShowSecrets(String properties, String problem, CapturedOutput output) {
		Throwable failure;
		try (CapturedLog log = CapturedLog.atDebug("io.distributedlock", "io.lettuce", "io.etcd", "org.apache.curator",
				"org.apache.zookeeper", "org.springframework.beans")) {
			failure = catchThrowable(() -> start(log::attach, properties.split(" ")));

			assertThat(log.lines()).anyMatch((line) -> line.level().equals("DEBUG"))
				.noneMatch((line) -> line.toString().contains(MARKER));
		}
		assertThat(output.toString()).contains("APPLICATION FAILED TO START", problem).doesNotContain(MARKER);
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		assertThat(trace.toString()).doesNotContain(MARKER);
	}

	private static ConfigurableApplicationContext start(Runnable onLog, String... properties) {
		SpringApplication application = new SpringApplication(Locking.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		StandardEnvironment environment = new StandardEnvironment();
		Map<String, Object> source = new TreeMap<>(Map.of("spring.config.location", "optional:classpath:/none/",
				"lock.startup-timeout", "0s", "lock.call-timeout", "300ms"));
		for (String property : properties) {
			source.put(property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
		}
		environment.getPropertySources().addFirst(new MapPropertySource("test", source));
		application.setEnvironment(environment);
		// By then the log is set up.
		application.addInitializers((context) -> onLog.run());
		return application.run();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NEVER", "ALWAYS", "WHEN_AUTHORIZED" })
	void endpointsDoNotShowSecrets(String show) {
		Supplier<ConfigurableApplicationContext> start = () -> start(() -> {
		}, "lock.fail-fast=false", "lock.backend=local", "lock.backends=local,etcd,redlock,zookeeper",
				"lock.etcd.endpoints=127.0.0.1:1", "lock.etcd.user=u", "lock.etcd.password=" + MARKER,
				"lock.zookeeper.connect-string=127.0.0.1:1", "lock.zookeeper.auth=u:" + MARKER,
				"lock.redlock.nodes[0]=redis://u:" + MARKER + "@127.0.0.1:1",
				"lock.redlock.nodes[1]=redis://:" + MARKER + "@127.0.0.1:2",
				"lock.redlock.nodes[2]=redis://127.0.0.1:3", "spring.jmx.enabled=true",
				"management.endpoints.jmx.exposure.include=*", "management.endpoint.env.show-values=" + show,
				"management.endpoint.configprops.show-values=" + show);
		try (ConfigurableApplicationContext context = start.get()) {
			context.getEnvironment()
				.getPropertySources()
				.addLast(new SystemEnvironmentPropertySource("variables",
						Map.of("LOCK_ETCD_PASSWORD", MARKER, "LOCK_ZOOKEEPER_AUTH", "u:" + MARKER,
								"LOCK_REDLOCK_NODES_0_", "redis://u:" + MARKER + "@127.0.0.1:1", "LOCK_REDLOCK_NODES",
								addresses(), "SPRING_APPLICATION_JSON",
								"{\"lock\":{\"etcd\":{\"password\":\"" + MARKER + "\"}}}")));
			String environment = JsonMapper.shared()
				.writeValueAsString(
						context.getBean(EnvironmentEndpoint.class).environment("(?i).*lock.*|spring.app.*"));
			String properties = JsonMapper.shared()
				.writeValueAsString(context.getBean(ConfigurationPropertiesReportEndpoint.class)
					.configurationPropertiesWithPrefix("lock"));

			assertThat(environment).contains("lock.etcd.password", "LOCK_REDLOCK_NODES", "SPRING_APPLICATION_JSON")
				.doesNotContain(MARKER);
			assertThat(properties).contains("lock.zookeeper", "lock.redlock", "lock.etcd").doesNotContain(MARKER);
			if (show.equals("ALWAYS")) {
				assertThat(environment).contains("redis://******@127.0.0.1:1", "redis://127.0.0.1:3");
				assertThat(properties).contains("redis://******@127.0.0.1:1", "redis://127.0.0.1:3");
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ SslAutoConfiguration.class, LockAutoConfiguration.class,
			EnvironmentEndpointAutoConfiguration.class, ConfigurationPropertiesReportEndpointAutoConfiguration.class })
	static class Locking {

	}

}
