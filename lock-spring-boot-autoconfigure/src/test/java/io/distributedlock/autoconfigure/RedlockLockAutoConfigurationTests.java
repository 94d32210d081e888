package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockNodeEvent;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the locks on independent Redis nodes, without a server.
 */
class RedlockLockAutoConfigurationTests {

	private static final String NODES = "lock.redlock.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,"
			+ "redis://127.0.0.1:3";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.fail-fast=false", "lock.call-timeout=50ms");

	@Test
	void nodesThatAreConfiguredKeepTheLocks() {
		this.runner.withPropertyValues(NODES)
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(RedlockLockBackend.class));
	}

	@Test
	void withoutNodesItIsNeverChosen() {
		this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1")
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)).name()).isEqualTo("redis"));
	}

	@Test
	void withoutNodesTheStoreIsMissed() {
		this.runner.withPropertyValues("lock.backend=redlock").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.isEqualTo("The store 'redlock', which 'lock.backend' names, can't be used: no nodes are configured.");
			assertThat(analysis.getAction()).contains("set 'lock.redlock.nodes'");
		});
	}

	@Test
	void withoutLettuceTheStoreIsMissed() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.withPropertyValues("lock.backend=redlock", NODES)
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).endsWith("can't be used: Lettuce is not on the class path.");
				assertThat(analysis.getAction()).isEqualTo("To use it: add the dependency 'io.lettuce:lettuce-core'.");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			redis://a,redis://b,redis://c,redis://d | there are 4
			redis://a,redis://b                     | there are 2
			redis://a                               | there is 1
			redis://a,redis://b,redis://A:6379      | one of them is listed twice
			redis://a,b:6379,redis://c              | 'lock.redlock.nodes[1]' can't be read: it does not begin with
			redis://a,redis://u:s3%zz@b,redis://c   | 'lock.redlock.nodes[1]' can't be read: it is not a URL
			redis://a,redis://b,redis://c/1         | 'lock.redlock.nodes[2]' can't be read: it has something after
			""")
	void nodesThatCanNotBeAreNamedAtTheStart(String nodes, String reason) {
		this.runner.withPropertyValues("lock.redlock.nodes=" + nodes).run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).contains(reason).doesNotContain("s3");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lock.ttl=61s                   | The ttl (lock.ttl) is PT1M1S, and the longest ttl (lock.redlock.max-ttl) PT1M.
					lock.redlock.max-ttl=20s       | The ttl (lock.ttl) is PT30S, and the longest ttl (lock.redlock.max-ttl) PT20S.
					lock.redlock.max-ttl=3651d     | The longest ttl (lock.redlock.max-ttl) must be at most 3650 days, but is PT87624H
					lock.redlock.node-timeout=51ms | The timeout of a node (lock.redlock.node-timeout) is PT0.051S
					lock.redlock.node-timeout=0    | The timeout of a node (lock.redlock.node-timeout) must be positive
					""")
	void timesThatCanNotBeAreNamedAtTheStart(String property, String reason) {
		this.runner.withPropertyValues(NODES, property)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription()).startsWith(reason));
	}

	@Test
	void changesOfNodeStateAreReportedToListenersAndPublished() {
		Queue<Object> told = new ConcurrentLinkedQueue<>();
		RedlockListener failing = (node, change, subject) -> {
			throw new IllegalStateException("on purpose");
		};
		RedlockListener listening = (node, change, subject) -> {
			if (change == RedlockNodeEvent.Change.DOWN) {
				told.add(node);
			}
		};

		this.runner.withPropertyValues(NODES)
			.withBean("failing", RedlockListener.class, () -> failing)
			.withBean("listening", RedlockListener.class, () -> listening)
			.withBean(ApplicationListener.class, () -> (event) -> {
				if (event instanceof PayloadApplicationEvent<?> published
						&& published.getPayload() instanceof RedlockNodeEvent news) {
					told.add(news.change() + " " + news.node());
				}
			})
			.run((context) -> await().untilAsserted(() -> assertThat(told).contains("127.0.0.1:1", "127.0.0.1:2",
					"127.0.0.1:3", "DOWN 127.0.0.1:1", "DOWN 127.0.0.1:2", "DOWN 127.0.0.1:3")));
	}

	@Test
	void nodesThatAreNotThereEndTheStartWithWhatTheySay() {
		this.runner.withPropertyValues(NODES, "lock.fail-fast=true", "lock.startup-timeout=100ms").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).startsWith("The store 'redlock' at ")
				.contains(" can't keep the locks: ")
				.contains("127.0.0.1:1");
		});
	}

	@Test
	void propertiesReachTheSettings() {
		this.runner
			.withPropertyValues(NODES, "lock.redlock.node-timeout=20ms", "lock.redlock.max-ttl=90s",
					"lock.redlock.quarantine-on-empty=false", "lock.token-retention=2h", "lock.instance-id=shop@one",
					"lock.key-prefix=shop:")
			.run((context) -> assertThat(context.getBean("redlockSettings")).hasToString(
					"RedlockSettings[nodes=[127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3], nodeTimeout=PT0.02S, maxTtl=PT1M30S,"
							+ " quarantineOnEmpty=false, tokenRetention=PT2H, callTimeout=PT0.05S, instanceId=shop@one,"
							+ " keyPrefix=shop:]"));
	}

	@Test
	void connectionDetailsTakeThePlaceOfTheProperties() {
		RedlockConnectionDetails details = () -> List.of(RedlockEndpoint.parse("redis://127.0.0.1:4"),
				RedlockEndpoint.parse("rediss://127.0.0.1:5"), RedlockEndpoint.parse("redis://127.0.0.1:6"));

		this.runner.withBean(RedlockConnectionDetails.class, () -> details)
			.run((context) -> assertThat(context.getBean("redlockSettings").toString())
				.contains("nodes=[127.0.0.1:4, 127.0.0.1:5, 127.0.0.1:6]"));
	}

	@Test
	void bundleThatNoNodeUsesEndsTheStart() {
		this.runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
			.withPropertyValues(NODES, "lock.redlock.ssl.bundle=locks",
					"spring.ssl.bundle.jks.locks.truststore.type=PKCS12")
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).contains("lock.redlock.ssl.bundle", "plain text");
				assertThat(analysis.getAction()).contains("rediss://");
			});
	}

	@Test
	void schemeOfEachNodeDecides() {
		RedlockConnectionDetails details = new RedlockConnectionDetails() {

			@Override
			public List<RedlockEndpoint> getNodes() {
				return Stream.of("redis://127.0.0.1:4", "rediss://127.0.0.1:5", "redis://127.0.0.1:6")
					.map(RedlockEndpoint::parse)
					.toList();
			}

			@Override
			public SslBundle getSslBundle() {
				return SslBundle.of(SslStoreBundle.NONE);
			}

		};

		this.runner.withBean(RedlockConnectionDetails.class, () -> details)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void credentialsAreReadAndNotShown() {
		RedlockEndpoint endpoint = RedlockEndpoint.parse("rediss://locks:p%40ss:w@Node1");

		assertThat(endpoint).isEqualTo(new RedlockEndpoint("node1", 6379, "locks", "p@ss:w", true))
			.hasToString("node1:6379");
		assertThat(RedlockEndpoint.parse("redis://:secret@[::1]:7"))
			.isEqualTo(new RedlockEndpoint("::1", 7, null, "secret", false))
			.hasToString("[::1]:7");
	}

}
