package io.distributedlock.backend.jdbc;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.distributedlock.engine.SystemLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statements of a database, one of which is broken.
 *
 * @param database the database
 * @param clock the clock
 */
record FlawedStatement(JdbcTestDatabase database, SystemLockClock clock) {

	/**
	 * Break a rule.
	 * @param sql the statement
	 * @param rule the part that keeps the rule
	 * @param without what stands there instead
	 * @return the broken statement
	 */
	static String broken(String sql, String rule, String without) {
		assertThat(sql).contains(rule);
		return sql.replace(rule, without);
	}

	/**
	 * Run work on another thread with one statement broken.
	 * @param <T> the type of the result
	 * @param name the name of the statement
	 * @param flaw breaks it
	 * @param work what to run
	 * @return its result
	 */
	<T> CompletableFuture<T> run(String name, UnaryOperator<String> flaw, SqlFunction<LockConnection, T> work) {
		LockTable table = new LockTable(this.database.dialect(), this.database.settings(), new ReleaseNotices(), false);
		Map<String, SqlStatement> statements = new HashMap<>(table.statements());
		SqlStatement statement = table.statement(name);
		statements.put(name, new SqlStatement(flaw.apply(statement.sql()), statement.parameters()));
		LockTable flawed = new LockTable(table.dialect(), table.settings(), table.prefix(), table.notices(),
				table.check(), table.memberCheck(), false, statements);
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try (LockConnection connection = LockConnection.prepare(this.database.dataSource().getConnection(),
					(any) -> flawed, (broken) -> {
					}, this.clock::nanoTime)) {
				result.complete(work.apply(connection));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result;
	}

}
