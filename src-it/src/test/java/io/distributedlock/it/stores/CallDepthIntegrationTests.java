package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.etcd.jetcd.op.TxnImpl;
import io.lettuce.core.protocol.DefaultEndpoint;
import org.apache.zookeeper.ClientCnxn;
import org.h2.jdbc.JdbcPreparedStatement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how many types of this library an annotated call passes, from the interceptor to
 * the driver, without contention. A reader who follows a lock to its store has to read
 * each of them.
 */
@RequiresEtcd
class CallDepthIntegrationTests {

	private static final String NODES = RedlockServers.shared()
		.first(3)
		.all()
		.stream()
		.map((server) -> "redis://127.0.0.1:" + server.port())
		.collect(Collectors.joining(","));

	private static CallCourse course;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withBean(Orders.class)
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
				"lock.jdbc.initialize-schema=embedded", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + RedisServer.port(), "lock.etcd.endpoints=" + EtcdServer.url(),
				"lock.zookeeper.connect-string=" + ZooKeeperServer.connectString(), "lock.redlock.nodes=" + NODES,
				"lock.redlock.node-timeout=2s", "lock.redlock.quarantine-on-empty=false",
				"lock.key-prefix=" + UUID.randomUUID() + ":");

	@BeforeAll
	static void watchDrivers() {
		course = new CallCourse(
				Set.of(JdbcPreparedStatement.class, DefaultEndpoint.class, ClientCnxn.class, TxnImpl.class),
				Set.of("execute", "executeQuery", "executeUpdate", "write", "queuePacket", "commit"));
	}

	@AfterAll
	static void leaveDriversAlone() {
		course.close();
	}

	@ParameterizedTest
	@CsvSource({ "jdbc, 12", "redis, 12", "redlock, 16", "zookeeper, 12", "etcd, 12" })
	void lockIsTakenThroughFewTypes(String store, int most, TestReporter reporter) {
		this.runner.withPropertyValues("lock.backend=" + store).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			orders.ship("warm");

			course.begin();
			List<List<String>> requests = orders.ship(UUID.randomUUID().toString());

			List<String> deepest = requests.stream()
				.max(Comparator.comparing((frames) -> types(frames).size()))
				.orElseThrow();
			Set<String> types = types(deepest);
			reporter.publishEntry(store, types.size() + " types, " + deepest.size() + " frames");
			assertThat(deepest.get(0)).endsWith("DistributedLockInterceptor#invoke");
			assertThat(types).as("%d frames: %s", deepest.size(), deepest).hasSizeLessThanOrEqualTo(most);
		});
	}

	/**
	 * Return the types of frames. An anonymous class is a part of the one around it.
	 */
	private static Set<String> types(List<String> frames) {
		return frames.stream()
			.map((frame) -> frame.substring(0, frame.indexOf('#')).replaceAll("\\$\\d.*", ""))
			.collect(Collectors.toSet());
	}

	static class Orders {

		@DistributedLock("#id")
		List<List<String>> ship(String id) {
			return new ArrayList<>(course.end());
		}

	}

}
