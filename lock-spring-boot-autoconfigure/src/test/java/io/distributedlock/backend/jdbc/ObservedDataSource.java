package io.distributedlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Records the statements that are executed, and makes some or all of them fail.
 */
public final class ObservedDataSource extends DelegatingDataSource {

	private final List<String> statements = new CopyOnWriteArrayList<>();

	private final List<String> requests = new CopyOnWriteArrayList<>();

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private final List<Object> parameters = new CopyOnWriteArrayList<>();

	private final List<SQLException> refusals = new CopyOnWriteArrayList<>();

	private volatile boolean cutOff;

	private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();

	public ObservedDataSource(DataSource dataSource) {
		super(dataSource);
	}

	/**
	 * Cut all connections, including open ones, or restore them.
	 * @param cutOff whether they are cut
	 */
	public void setCutOff(boolean cutOff) {
		this.cutOff = cutOff;
	}

	/**
	 * Forget what was executed until now.
	 */
	public void forget() {
		this.statements.clear();
		this.requests.clear();
		this.threads.clear();
	}

	/**
	 * Return the executed statements.
	 * @return the SQL of each statement
	 */
	public List<String> statements() {
		return List.copyOf(this.statements);
	}

	/**
	 * Return the requests that were sent: the statements, and the methods that begin or
	 * end transactions.
	 * @return the SQL or the name of the method
	 */
	public List<String> requests() {
		return List.copyOf(this.requests);
	}

	/**
	 * Return the faults that the database reported of executed statements.
	 * @return the faults, in their order
	 */
	public List<SQLException> refusals() {
		return List.copyOf(this.refusals);
	}

	/**
	 * Return the threads that executed statements.
	 * @return the thread of each statement
	 */
	public List<Thread> threads() {
		return List.copyOf(this.threads);
	}

	/**
	 * Return the values that were bound to the statements' parameters.
	 * @return the values except nulls
	 */
	public List<Object> parameters() {
		return List.copyOf(this.parameters);
	}

	/**
	 * Let the next statement that contains a text fail before it is executed.
	 * @param part a part of its SQL
	 * @param fault the exception that it throws
	 */
	public void failNext(String part, Exception fault) {
		this.faults.add(new Fault((sql) -> sql.contains(part), fault, false));
	}

	/**
	 * Lose the answer of the next statement that contains a text.
	 * @param part a part of its SQL
	 * @param fault the exception that it throws after its execution
	 */
	public void loseAnswer(String part, Exception fault) {
		this.faults.add(new Fault((sql) -> sql.contains(part), fault, true));
	}

	/**
	 * Return whether all faults have happened.
	 * @return whether no fault is left
	 */
	public boolean isExhausted() {
		return this.faults.isEmpty();
	}

	@Override
	public Connection getConnection() throws SQLException {
		requireConnected();
		Connection connection = super.getConnection();
		return proxy(Connection.class, connection, (method, arguments) -> {
			if (List.of("setAutoCommit", "commit", "rollback").contains(method.getName())) {
				this.requests.add(method.getName());
			}
			Object result = method.invoke(connection, arguments);
			return (result instanceof PreparedStatement statement) ? observed(statement, (String) arguments[0])
					: result;
		});
	}

	private void requireConnected() throws SQLException {
		if (this.cutOff) {
			throw new SQLException("The client is cut off", "08006");
		}
	}

	private PreparedStatement observed(PreparedStatement statement, String sql) {
		return proxy(PreparedStatement.class, statement, (method, arguments) -> {
			if (method.getName().startsWith("set") && arguments.length > 1 && arguments[1] != null) {
				this.parameters.add(arguments[1]);
			}
			if (!method.getName().startsWith("execute")) {
				return method.invoke(statement, arguments);
			}
			requireConnected();
			this.statements.add(sql);
			this.requests.add(sql);
			this.threads.add(Thread.currentThread());
			Fault fault = next(sql);
			if (fault != null && !fault.afterwards()) {
				throw fault.exception();
			}
			Object result = execute(statement, method, arguments);
			if (fault != null) {
				throw fault.exception();
			}
			return result;
		});
	}

	private Object execute(PreparedStatement statement, Method method, Object[] arguments) throws Exception {
		try {
			return method.invoke(statement, arguments);
		}
		catch (InvocationTargetException ex) {
			if (ex.getTargetException() instanceof SQLException refusal) {
				this.refusals.add(refusal);
			}
			throw ex;
		}
	}

	private Fault next(String sql) {
		Fault fault = this.faults.peek();
		return (fault != null && fault.when().test(sql) && this.faults.remove(fault)) ? fault : null;
	}

	private static <T> T proxy(Class<T> type, T target, Call call) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return call.on(method, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

	private interface Call {

		Object on(Method method, Object[] arguments) throws Exception;

	}

	private record Fault(Predicate<String> when, Exception exception, boolean afterwards) {
	}

}
