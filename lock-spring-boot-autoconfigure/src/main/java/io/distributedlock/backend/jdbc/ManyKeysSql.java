package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Executes the statements that look at many locks at once, for waiters that poll.
 *
 * @param connection the connection
 */
record ManyKeysSql(LockConnection connection) {

	/**
	 * The numbers of keys in a statement. A shorter list is padded, so that a database
	 * has few different statements to prepare.
	 */
	static final List<Integer> SIZES = List.of(10, 50, 200);

	static final int MOST = 200;

	/**
	 * Return the parameters for a number of keys, as a statement names them.
	 */
	static String parameters(int size) {
		return IntStream.range(0, size).mapToObj((i) -> ":" + parameter(i)).collect(Collectors.joining(", "));
	}

	private static String parameter(int index) {
		return "key" + index;
	}

	/**
	 * Look at locks.
	 * @param keys the keys, from one to {@link #MOST}
	 * @return the locks that have a row, by their keys
	 * @throws SQLException if a database access error occurs
	 */
	Map<String, Look> look(List<String> keys) throws SQLException {
		Map<String, Look> looks = new HashMap<>();
		this.connection.query(statement("look-many", keys), values(keys), (row) -> looks
			.put(this.connection.table().key(row).orElseThrow(), new Look(row.getLong("rest"), row.getLong("age"))));
		return looks;
	}

	/**
	 * Leave the marks of waiters.
	 * @param keys the keys, from one to {@link #MOST}
	 * @param pollAfter the delay before the waiters poll again
	 * @throws SQLException if a database access error occurs
	 */
	void mark(List<String> keys, Duration pollAfter) throws SQLException {
		Map<String, @Nullable Object> values = values(keys);
		values.put("mark", pollAfter.toMillis());
		this.connection.update(statement("mark-many", keys), values);
	}

	private SqlStatement statement(String name, List<String> keys) {
		int size = SIZES.stream().filter((each) -> each >= keys.size()).findFirst().orElseThrow();
		return this.connection.table().statement(name + size);
	}

	// Sorted, so that statements with several keys lock their rows in the same order.
	private Map<String, @Nullable Object> values(List<String> keys) {
		List<String> sorted = keys.stream().sorted().toList();
		Map<String, @Nullable Object> values = new HashMap<>();
		for (int i = 0; i < MOST; i++) {
			values.put(parameter(i), this.connection.table().key(sorted.get(Math.min(i, sorted.size() - 1))));
		}
		return values;
	}

	/**
	 * The state of a lock.
	 *
	 * @param rest for how long it is still taken, in ms; not positive if it is free
	 * @param age how long ago it was granted, in ms
	 */
	record Look(long rest, long age) {
	}

}
