package io.distributedlock.it.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Behaves like a proxy that shares connections between transactions: notifications never
 * arrive.
 */
final class SilencedDataSource extends DelegatingDataSource {

	SilencedDataSource(DataSource dataSource) {
		super(dataSource);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return proxy(Connection.class, connection, (result) -> (result instanceof PGConnection driver)
				? proxy(PGConnection.class, driver, SilencedDataSource::withoutNotifications) : result);
	}

	private static Object withoutNotifications(Object result) {
		return (result instanceof Object[]) ? null : result;
	}

	private static <T> T proxy(Class<T> type, T target, Answer answer) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return answer.of(method.invoke(target, arguments));
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			}));
	}

	private interface Answer {

		Object of(Object result);

	}

}
