package io.distributedlock.benchmarks.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.SubjectSide;

/**
 * How many commands the servers of a store have received, by their own count.
 */
interface ServerCommands extends AutoCloseable {

	/**
	 * Count.
	 * @return the mean of all servers since they started; empty if this store counts
	 * nothing
	 */
	OptionalLong count();

	@Override
	default void close() {
	}

	/**
	 * Return the commands of a store.
	 * @param address where its servers listen
	 * @param side an application that uses it
	 * @return the commands
	 */
	static ServerCommands of(Address address, SubjectSide side) {
		String store = address.store();
		if (store.startsWith("Red")) {
			return new OfRedis(address.ports());
		}
		return switch (store) {
			case "PostgreSQL" -> () -> query(side,
					"SELECT xact_commit + xact_rollback FROM pg_stat_database" + " WHERE datname = current_database()");
			case "MariaDB" -> () -> query(side,
					"SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'QUESTIONS'");
			case "ZooKeeper" -> () -> sum(words(address.port()), "Received: (\\d+)");
			case "etcd" -> () -> sum(page("http://127.0.0.1:" + address.port() + "/metrics"),
					"(?m)^grpc_server_msg_received_total\\{.*} (\\S+)$");
			default -> OptionalLong::empty;
		};
	}

	private static OptionalLong query(SubjectSide side, String sql) {
		DataSource database = side.application().getBean(DataSource.class);
		Long number = new JdbcTemplate(database).queryForObject(sql, Long.class);
		return (number != null) ? OptionalLong.of(number) : OptionalLong.empty();
	}

	private static OptionalLong sum(String text, String regex) {
		return OptionalLong.of((long) Pattern.compile(regex)
			.matcher(text)
			.results()
			.mapToDouble((match) -> Double.parseDouble(match.group(1)))
			.sum());
	}

	private static String words(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String page(String address) {
		try (var input = new URL(address).openStream()) {
			return new String(input.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Scripts on Redis. Commands that scripts call don't count.
	 */
	final class OfRedis implements ServerCommands {

		private static final Pattern SCRIPTS = Pattern.compile("cmdstat_(?:evalsha|eval|fcall):calls=(\\d+)");

		private final RedisClient client = RedisClient.create();

		private final List<StatefulRedisConnection<String, String>> connections;

		OfRedis(List<Integer> ports) {
			this.connections = ports.stream()
				.map((port) -> this.client.connect(RedisURI.create(URI.create("redis://127.0.0.1:" + port))))
				.toList();
		}

		@Override
		public OptionalLong count() {
			return OptionalLong.of(Math.round(this.connections.stream()
				.map((connection) -> connection.sync().info("commandstats"))
				.flatMap((info) -> SCRIPTS.matcher(info).results())
				.mapToLong((match) -> Long.parseLong(match.group(1)))
				.sum() / (double) this.connections.size()));
		}

		@Override
		public void close() {
			this.client.shutdown();
		}

	}

}
