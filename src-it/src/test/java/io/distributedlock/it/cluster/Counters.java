package io.distributedlock.it.cluster;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.sql.DataSource;

/**
 * A table with a counter for each key. Counting is a read and then a write, which loses
 * counts as soon as two threads do it at once.
 */
final class Counters {

	private final DataSource dataSource;

	Counters(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	void create(List<String> keys) throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("DROP TABLE IF EXISTS cluster_counter");
			statement.execute("CREATE TABLE cluster_counter (name VARCHAR(40) PRIMARY KEY, amount BIGINT NOT NULL)");
			for (String key : keys) {
				statement.execute("INSERT INTO cluster_counter (name, amount) VALUES ('" + key + "', 0)");
			}
		}
	}

	Map<String, Long> read() throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT name, amount FROM cluster_counter")) {
			Map<String, Long> counters = new TreeMap<>();
			while (rows.next()) {
				counters.put(rows.getString(1), rows.getLong(2));
			}
			return counters;
		}
	}

	/**
	 * Count one, not atomically.
	 * @param between runs between the read and the write
	 */
	void count(String key, Runnable between) throws SQLException {
		long amount = read(key);
		between.run();
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement("UPDATE cluster_counter SET amount = ? WHERE name = ?")) {
			statement.setLong(1, amount + 1);
			statement.setString(2, key);
			statement.executeUpdate();
		}
	}

	private long read(String key) throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement("SELECT amount FROM cluster_counter WHERE name = ?")) {
			statement.setString(1, key);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return row.getLong(1);
			}
		}
	}

}
