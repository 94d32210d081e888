package io.distributedlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The form of a key in its column. Two keys compare as equal only if they are the same,
 * however the database treats case, accents, trailing blanks and NUL.
 *
 * @param writer turns a key into the value of the column
 * @param reader reads the key of a row
 */
record KeyColumnType(Function<String, Object> writer, SqlFunction<ResultSet, String> reader) {

	/**
	 * As text, for columns that compare characters one by one.
	 */
	static final KeyColumnType TEXT = new KeyColumnType(KeyColumnType::escape,
			(row) -> unescape(row.getString("lock_key")));

	/**
	 * As the bytes of its UTF-8 form. NUL is escaped here, too, because some databases
	 * ignore trailing zeros.
	 */
	static final KeyColumnType BINARY = new KeyColumnType((key) -> escape(key).getBytes(StandardCharsets.UTF_8),
			(row) -> unescape(new String(row.getBytes("lock_key"), StandardCharsets.UTF_8)));

	/**
	 * As the hexadecimal digits of those bytes, for unknown databases.
	 */
	static final KeyColumnType HEX = new KeyColumnType(
			(key) -> HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8)),
			(row) -> new String(HexFormat.of().parseHex(row.getString("lock_key")), StandardCharsets.UTF_8));

	private static final Pattern ESCAPED = Pattern.compile("\\\\(.)", Pattern.DOTALL);

	Object toColumn(String key) {
		return this.writer.apply(key);
	}

	String fromRow(ResultSet row) throws SQLException {
		return this.reader.apply(row);
	}

	private static String escape(String key) {
		if (key.indexOf('\\') < 0 && key.indexOf('\0') < 0) {
			return key;
		}
		return key.replace("\\", "\\\\").replace("\0", "\\0");
	}

	private static String unescape(String stored) {
		return ESCAPED.matcher(stored)
			.replaceAll((match) -> Matcher.quoteReplacement(match.group(1).replace('0', '\0')));
	}

}
