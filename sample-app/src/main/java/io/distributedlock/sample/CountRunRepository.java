package io.distributedlock.sample;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/**
 * Records which instance counted the stock and when.
 */
@Repository
public class CountRunRepository {

	private final JdbcClient jdbc;

	private final String instance;

	CountRunRepository(JdbcClient jdbc, @Value("${lock.instance-id}") String instance) {
		this.jdbc = jdbc;
		this.instance = instance;
	}

	long start() {
		KeyHolder key = new GeneratedKeyHolder();
		this.jdbc.sql("INSERT INTO count_run (instance, started_at) VALUES (?, CURRENT_TIMESTAMP)")
			.param(this.instance)
			.update(key, "run");
		return Objects.requireNonNull(key.getKeyAs(Long.class), "key of the new row");
	}

	long end(long run) {
		this.jdbc.sql("""
				UPDATE count_run SET ended_at = CURRENT_TIMESTAMP,
					total = (SELECT COALESCE(SUM(stock), 0) FROM order_stock) WHERE run = ?""").param(run).update();
		return this.jdbc.sql("SELECT total FROM count_run WHERE run = ?").param(run).query(Long.class).single();
	}

	/**
	 * Return the latest runs.
	 * @param limit the greatest number of runs
	 * @return the runs, the latest first
	 */
	public List<CountRun> latest(int limit) {
		return this.jdbc
			.sql("SELECT run, instance, started_at, ended_at, total FROM count_run ORDER BY run DESC LIMIT ?")
			.param(limit)
			.query((row, number) -> read(row))
			.list();
	}

	private static CountRun read(ResultSet row) throws SQLException {
		OffsetDateTime endedAt = row.getObject("ended_at", OffsetDateTime.class);
		return new CountRun(row.getLong("run"), row.getString("instance"),
				row.getObject("started_at", OffsetDateTime.class).toInstant(),
				(endedAt != null) ? endedAt.toInstant() : null, row.getObject("total", Long.class));
	}

}
