package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that faults of a store name the store and its address.
 */
class UnreachableStoreTests {

	private static final String STORES = """
			jdbc      | jdbc:postgresql://ADDRESS/shop
			redis     | ADDRESS
			jedis     | ADDRESS
			redlock   | ADDRESS, localhost:PORT, [::1]:PORT
			zookeeper | ADDRESS
			etcd      | ADDRESS
			""";

	/**
	 * The store or the engine, whichever stops waiting first.
	 */
	private static final String NO_ANSWER = "(no answer (in time|within 100 ms)|The store '\\w+' did not report its token epoch within 100 ms|The database of the locks gave no (connection|answer) within \\d+ ms"
			+ "|The Redis of the locks gave no (connection|answer) within \\d+ ms|Fewer than 2 of the 3 nodes of the locks have voted .*"
			+ "|No answer from ZooKeeper within \\d+ ms|The etcd of the locks has not answered in time( \\(no session could be opened\\))?)";

	private final ServerSocket server = silent();

	private static ServerSocket silent() {
		try {
			return new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	private String fill(String text) {
		return text.replace("ADDRESS", "127.0.0.1:PORT").replace("PORT", String.valueOf(this.server.getLocalPort()));
	}

	private ApplicationContextRunner runner(String store) {
		String address = fill("ADDRESS");
		List<String> properties = switch (store) {
			case "jdbc" -> List.of(
					"spring.datasource.url=jdbc:postgresql://" + address
							+ "/shop?user=u&password=p&sslmode=disable&connectTimeout=1&socketTimeout=1",
					"spring.datasource.hikari.connection-timeout=250",
					"spring.datasource.hikari.initialization-fail-timeout=-1", "lock.jdbc.platform=postgresql");
			case "redis" -> List.of("spring.data.redis.url=redis://u:p@" + address, "spring.data.redis.timeout=300ms");
			case "jedis" -> List.of("spring.data.redis.url=redis://u:p@" + address,
					"spring.data.redis.client-type=jedis", "spring.data.redis.timeout=300ms");
			case "redlock" ->
				List.of(fill("lock.redlock.nodes=redis://ADDRESS,redis://localhost:PORT,redis://[::1]:PORT"));
			case "zookeeper" ->
				List.of("lock.zookeeper.connect-string=" + address, "lock.zookeeper.session-timeout=1s");
			default -> List.of("lock.etcd.endpoints=http://" + address);
		};
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=" + store.replace("jedis", "redis"), "lock.call-timeout=100ms",
					"lock.startup-timeout=0s")
			.withPropertyValues(properties.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = STORES)
	void startNamesAStoreThatGivesNoAnswer(String store, String address) {
		runner(store).run((context) -> assertThat(StartFailures.analyze(context).getDescription())
			.matches(quoted("The store '", store, address) + " can't keep the locks: It failed at taking a lock: "
					+ NO_ANSWER));
	}

	@Tag("topology")
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = STORES)
	void callsNameAStoreThatGivesNoAnswer(String store, String address) {
		runner(store).withPropertyValues("lock.fail-fast=false").run((context) -> {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire("key"))
				.satisfies((ex) -> assertThat(ex.getMessage())
					.matches(quoted("The lock on 'key' could not be acquired from the backend '", store, address)
							+ " in one attempt(: |, which could not be asked: )" + NO_ANSWER));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(Locks.class).find("key"))
				.satisfies((ex) -> assertThat(ex.getMessage()).matches(quoted("The backend '", store, address)
						+ "( has not answered| could not be asked: " + NO_ANSWER + ")"));
		});
	}

	@Tag("topology")
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = STORES)
	void startNamesAStoreThatRefusesConnections(String store, String address) throws IOException {
		this.server.close();
		runner(store).run((context) -> assertThat(StartFailures.analyze(context).getDescription())
			.matches(quoted("The store '", store, address) + " can't keep the locks: It failed at taking a lock: .*"));
	}

	private String quoted(String before, String store, String address) {
		return Pattern.quote(before + store.replace("jedis", "redis") + "' at " + fill(address));
	}

}
