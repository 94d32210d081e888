package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expressions in which databases differ, for statements that are otherwise the same.
 * A statement names them between {@code @@}.
 * <p>
 * A reported rest or age is never negative and at most {@link #MOST_MILLIS}, whatever
 * times are in the row. Times farther away are not subtracted at all, because databases
 * refuse to subtract infinite ones.
 *
 * @param now the current time of the database
 * @param micros microseconds from 1970 to now, a whole number
 * @param after the time that is {@code %1$s} milliseconds after now
 * @param between the milliseconds from {@code %1$s} to {@code %2$s}, rounded up; the
 * difference of the instants, whatever zones the session and the two values have
 * @param graceMillis for how many milliseconds beyond its mark a waiter keeps a group
 * closed, which is the time by which it may be late with its next attempt; zero if marks
 * include it
 */
record SqlExpressions(String now, String micros, String after, String between, int graceMillis) {

	/**
	 * The longest rest and the greatest age that a row reports, in milliseconds: 3,650
	 * days, the longest TTL.
	 */
	static final long MOST_MILLIS = Duration.ofDays(3650).toMillis();

	// A whole second, because HSQLDB adds negative fractions wrongly.
	private static final int GRACE = 1000;

	static final SqlExpressions H2 = new SqlExpressions("CURRENT_TIMESTAMP(6)",
			"CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
			"DATEADD(MILLISECOND, %1$s, CURRENT_TIMESTAMP(6))",
			"CEIL((EXTRACT(EPOCH FROM %2$s) - EXTRACT(EPOCH FROM %1$s)) * 1000)", GRACE);

	static final SqlExpressions POSTGRESQL = new SqlExpressions("clock_timestamp()",
			"CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
			"clock_timestamp() + %1$s * INTERVAL '1 millisecond'",
			"CAST(ceil(extract(epoch FROM (%2$s - %1$s)) * 1000) AS BIGINT)", 0);

	/**
	 * UTC in columns without a zone, which the zone of a session does not change.
	 * TIMESTAMPDIFF computes with such times as in a calendar without summer time.
	 */
	static final SqlExpressions MYSQL = new SqlExpressions("UTC_TIMESTAMP(6)",
			"TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
			"TIMESTAMPADD(MICROSECOND, %1$s * 1000, UTC_TIMESTAMP(6))",
			"CEIL(TIMESTAMPDIFF(MICROSECOND, %1$s, %2$s) / 1000)", GRACE);

	static final SqlExpressions ORACLE = new SqlExpressions("(SYSTIMESTAMP AT TIME ZONE 'UTC')",
			"TRUNC(" + seconds("(SYS_EXTRACT_UTC(SYSTIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00')") + " * 1000000)",
			"((SYSTIMESTAMP AT TIME ZONE 'UTC') + NUMTODSINTERVAL(%1$s / 1000, 'SECOND'))",
			"CEIL(" + seconds("(%2$s - %1$s)") + " * 1000)", GRACE);

	/**
	 * DATEADD accepts at most 24 days of milliseconds at once.
	 */
	static final SqlExpressions SQLSERVER = new SqlExpressions("SYSUTCDATETIME()",
			"DATEDIFF_BIG(MICROSECOND, '19700101', SYSUTCDATETIME())",
			"DATEADD(SECOND, CAST(%1$s / 1000 AS INT),"
					+ " DATEADD(MILLISECOND, CAST(%1$s %% 1000 AS INT), SYSUTCDATETIME()))",
			"CEILING(DATEDIFF_BIG(MICROSECOND, %1$s, %2$s) / 1000.0)", GRACE);

	static final SqlExpressions STANDARD = new SqlExpressions("CURRENT_TIMESTAMP(6)",
			"CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6))"
					+ " * 1000000 AS BIGINT)",
			"CURRENT_TIMESTAMP(6) + CAST(%1$s AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)",
			"CAST(CEILING(EXTRACT(SECOND FROM (%2$s - %1$s) SECOND(12, 6)) * 1000) AS BIGINT)", GRACE);

	private static final Pattern WORD = Pattern.compile("@@(\\w+)(?:\\(([^)]*)\\))?@@");

	/**
	 * Return the expression for the seconds of an Oracle interval.
	 */
	private static String seconds(String interval) {
		return ("(EXTRACT(DAY FROM #) * 86400 + EXTRACT(HOUR FROM #) * 3600 + EXTRACT(MINUTE FROM #) * 60"
				+ " + EXTRACT(SECOND FROM #))")
			.replace("#", interval);
	}

	private static String column(MatchResult match) {
		return (match.group(2) != null) ? match.group(2) + "." : "";
	}

	/**
	 * Return the condition that this version knows the format of a row. Each statement
	 * that changes or deletes rows has it.
	 */
	private static String ours(String table) {
		return table + "format = " + LockRow.FORMAT;
	}

	/**
	 * Return the condition that a lock may be taken.
	 */
	private String free(String table) {
		return "(%1$sexpires_at <= %2$s AND (%1$sshared_until IS NULL OR %1$sshared_until <= %2$s) AND %3$s)"
			.formatted(table, this.now, ours(table));
	}

	/**
	 * Return the expression for the format of a row. It is 0 if the row has no format, or
	 * if it has expired but is shared by members.
	 */
	private String form() {
		return "CASE WHEN " + ours("") + " AND expires_at <= " + this.now + " AND shared_until > " + this.now
				+ " THEN 0 ELSE COALESCE(format, 0) END";
	}

	/**
	 * Return the condition that a group of the requested kind has the key.
	 */
	private String group(String table) {
		return "(%1$sowner IS NULL AND %1$sinstance = :kind AND %1$sexpires_at > %2$s AND %3$s)".formatted(table,
				this.now, ours(table));
	}

	/**
	 * Return the condition that no waiter has closed the latest group to new members. The
	 * mark of a waiter on any other row closes nothing.
	 */
	private String open(String table) {
		return "(%1$sowner IS NOT NULL OR %1$sinstance IS NULL OR %1$swaiting_until IS NULL OR %1$swaiting_until <= %2$s)"
			.formatted(table, whenMarksEnd());
	}

	private String ifClosed(String then) {
		return "CASE WHEN owner IS NULL AND instance IS NOT NULL AND waiting_until > " + whenMarksEnd() + " THEN "
				+ then;
	}

	/**
	 * Return the expression for the time of the marks that close a group no longer.
	 */
	private String whenMarksEnd() {
		return this.after.formatted(-this.graceMillis);
	}

	/**
	 * Return the expression for how long the latest group stays closed to new members.
	 */
	private String door() {
		return ifClosed("CASE WHEN waiting_until >= " + this.after.formatted(MOST_MILLIS) + " THEN " + MOST_MILLIS
				+ " ELSE " + this.between.formatted(whenMarksEnd(), "waiting_until") + " END ELSE 0 END");
	}

	private String until(String column) {
		return "CASE WHEN " + column + " <= " + this.now + " THEN 0 WHEN " + column + " >= "
				+ this.after.formatted(MOST_MILLIS) + " THEN " + MOST_MILLIS + " ELSE "
				+ this.between.formatted(this.now, column) + " END";
	}

	private String since(String column) {
		return "CASE WHEN " + column + " >= " + this.now + " THEN 0 WHEN " + column + " <= "
				+ this.after.formatted(-MOST_MILLIS) + " THEN " + MOST_MILLIS + " ELSE "
				+ this.between.formatted(column, this.now) + " END";
	}

	String expand(String statement, JdbcLockSettings settings) {
		return WORD.matcher(statement)
			.replaceAll((match) -> Matcher.quoteReplacement(meaning(statement, match, settings)));
	}

	private String meaning(String statement, MatchResult match, JdbcLockSettings settings) {
		return switch (match.group(1)) {
			case "table" -> settings.table();
			case "reader_table" -> settings.readerTable();
			case "channel" -> NotificationChannel.of(settings.table());
			case "now" -> this.now;
			case "micros" -> this.micros;
			case "after" -> this.after.formatted(match.group(2));
			case "rest" -> until("expires_at");
			case "wanted" -> "CASE WHEN waiting_until > " + this.now + " THEN " + until("waiting_until") + " END";
			case "age" -> since("acquired_at");
			case "format" -> Integer.toString(LockRow.FORMAT);
			case "ours" -> ours(column(match));
			case "free" -> free(column(match));
			case "form" -> form();
			case "kind" -> "CASE WHEN owner IS NULL THEN instance END";
			case "group" -> group(column(match));
			case "open" -> open(column(match));
			case "door" -> door();
			case "writer" -> ifClosed(until("waiting_until") + " END");
			default -> throw new IllegalStateException("There is no expression " + match.group() + " in: " + statement);
		};
	}

}
