package io.distributedlock.backend.jdbc;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * A function that may fail with an {@link SQLException}.
 *
 * @param <T> its argument
 * @param <R> its result
 */
@FunctionalInterface
interface SqlFunction<T, R extends @Nullable Object> {

	R apply(T argument) throws SQLException;

}
