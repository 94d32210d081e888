package io.distributedlock.backend.jdbc;

import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * A connection without a database. Records statements and returns prepared answers, for
 * dialects whose servers are not available.
 */
final class ScriptedConnection {

	/**
	 * The answer of a statement that changed nothing.
	 */
	static final Object NOTHING = new Object();

	private final Deque<Object> answers;

	private final List<String> statements = new ArrayList<>();

	/**
	 * Create a connection.
	 * @param answers a token, the row of a lock, {@link #NOTHING} or an exception for
	 * each statement
	 */
	ScriptedConnection(Object... answers) {
		this.answers = new ArrayDeque<>(Arrays.asList(answers));
	}

	List<String> statements() {
		return this.statements;
	}

	boolean isExhausted() {
		return this.answers.isEmpty();
	}

	LockConnection as(Dialect dialect, JdbcLockSettings settings) throws SQLException {
		return as(dialect, settings, 0);
	}

	LockConnection as(Dialect dialect, JdbcLockSettings settings, long borrowedAt) throws SQLException {
		Connection connection = proxy(Connection.class, (method, arguments) -> switch (method) {
			case "getAutoCommit" -> true;
			case "isReadOnly" -> false;
			case "prepareStatement", "prepareCall" -> statement(method, (String) arguments[0]);
			default -> null;
		});
		LockTable table = new LockTable(dialect, settings, new ReleaseNotices(), false);
		return LockConnection.prepare(connection, (any) -> table, (broken) -> {
		}, () -> borrowedAt);
	}

	private CallableStatement statement(String kind, String sql) {
		Object answer = this.answers.remove();
		return proxy(CallableStatement.class, (method, arguments) -> switch (method) {
			case "execute", "executeUpdate", "executeQuery" -> {
				this.statements.add(kind + " " + sql);
				if (answer instanceof SQLException fault) {
					throw fault;
				}
				yield method.equals("executeQuery") ? rows(answer)
						: method.equals("execute") ? (Object) false : (Object) ((answer != NOTHING) ? 1 : 0);
			}
			case "getLong" -> (answer instanceof Long token) ? token : 0L;
			case "wasNull" -> answer == NOTHING;
			default -> null;
		});
	}

	private static ResultSet rows(Object answer) {
		boolean[] read = new boolean[1];
		return proxy(ResultSet.class, (method, arguments) -> switch (method) {
			case "next" -> {
				boolean first = !read[0] && answer != NOTHING;
				read[0] = true;
				yield first;
			}
			case "getLong" -> (answer instanceof Long token) ? token : column((LockRow) answer, (String) arguments[0]);
			case "getString" -> ((LockRow) answer).owner();
			case "wasNull" -> ((LockRow) answer).tick() == null;
			default -> null;
		});
	}

	private static long column(LockRow row, String name) {
		return switch (name) {
			case "token" -> row.token();
			case "rest" -> row.rest();
			case "form" -> row.form();
			default -> (row.tick() != null) ? row.tick() : 0;
		};
	}

	private static <T> T proxy(Class<T> type, Answer answer) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answer.to(method.getName(), arguments)));
	}

	private interface Answer {

		Object to(String method, Object[] arguments) throws SQLException;

	}

}
