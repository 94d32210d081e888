package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The statements that look at many locks at once, for waiters that poll.
 */
final class ManyKeysSql {

	/**
	 * How many keys a statement has; fewer are filled up, so that there are few different
	 * statements for a database to prepare.
	 */
	private static final List<Integer> SIZES = List.of(10, 50, 200);

	static final int MOST = 200;

	private final SqlSource source;

	private final Map<Integer, SqlStatement> look;

	private final Map<Integer, SqlStatement> mark;

	ManyKeysSql(SqlSource source) {
		this.source = source;
		this.look = statements(source, "look-many");
		this.mark = statements(source, "mark-many");
	}

	private static Map<Integer, SqlStatement> statements(SqlSource source, String name) {
		return SIZES.stream().collect(Collectors.toMap((size) -> size, (size) -> {
			String keys = IntStream.range(0, size)
				.mapToObj((i) -> ":" + parameter(i))
				.collect(Collectors.joining(", "));
			return source.statement(name, (text) -> text.replace(":keys", keys));
		}));
	}

	private static String parameter(int index) {
		return "key" + index;
	}

	/**
	 * Look at locks.
	 * @param connection the connection
	 * @param keys the keys, from one to {@link #MOST}
	 * @return those that have a row
	 * @throws SQLException if the database complains
	 */
	Map<String, Look> look(LockConnection connection, List<String> keys) throws SQLException {
		return connection
			.query(statement(this.look, keys), values(keys),
					(row) -> Map.entry(this.source.key(row).orElseThrow(),
							new Look(row.getLong("rest"), row.getLong("age"))))
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	/**
	 * Leave the marks of waiters.
	 * @param connection the connection
	 * @param keys the keys, from one to {@link #MOST}
	 * @param pollAfter when the waiters ask again
	 * @throws SQLException if the database complains
	 */
	void mark(LockConnection connection, List<String> keys, Duration pollAfter) throws SQLException {
		Map<String, @Nullable Object> values = values(keys);
		values.put("mark", pollAfter.toMillis());
		connection.update(statement(this.mark, keys), values);
	}

	private static SqlStatement statement(Map<Integer, SqlStatement> statements, List<String> keys) {
		int size = SIZES.stream().filter((each) -> each >= keys.size()).findFirst().orElseThrow();
		return Objects.requireNonNull(statements.get(size));
	}

	// In the order in which statements lock rows that lock several.
	private Map<String, @Nullable Object> values(List<String> keys) {
		List<String> sorted = keys.stream().sorted().toList();
		Map<String, @Nullable Object> values = new HashMap<>();
		for (int i = 0; i < MOST; i++) {
			values.put(parameter(i), this.source.key(sorted.get(Math.min(i, sorted.size() - 1))));
		}
		return values;
	}

	/**
	 * What a lock looks like.
	 *
	 * @param rest for how long it is taken yet, in ms; not positive where it is free
	 * @param age how long ago it was granted, in ms
	 */
	record Look(long rest, long age) {
	}

}
