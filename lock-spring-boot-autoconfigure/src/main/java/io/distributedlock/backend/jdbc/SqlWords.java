package io.distributedlock.backend.jdbc;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expressions in which databases differ, for statements that are otherwise the same.
 * A statement names them between {@code @@}.
 *
 * @param now the time at which the database is
 * @param micros microseconds from 1970 to now, a whole number
 * @param after the time that is {@code %1$s} milliseconds after now
 * @param between the milliseconds from {@code %1$s} to {@code %2$s}, rounded up
 */
record SqlWords(String now, String micros, String after, String between) {

	private static final Pattern WORD = Pattern.compile("@@(\\w+)(?:\\(([^)]*)\\))?@@");

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
			case "rest" -> this.between.formatted(this.now, "expires_at");
			case "age" -> this.between.formatted("acquired_at", this.now);
			default -> throw new IllegalStateException("Nobody knows " + match.group() + " in: " + statement);
		};
	}

}
