package io.distributedlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.function.Function;

/**
 * How a key is written into its column, so that two keys compare as equal only if they
 * are the same, whatever the database makes of case, accents, trailing blanks and NUL.
 */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
enum KeyColumnType {

	/**
	 * As text, for columns that compare characters one by one.
	 */
	TEXT((key) -> escape(key), (row) -> unescape(row.getString("lock_key"))),

	/**
	 * As the bytes of its UTF-8 form. NUL is escaped here too, since there are databases
	 * that ignore trailing zeros.
	 */
	BINARY((key) -> escape(key).getBytes(StandardCharsets.UTF_8),
			(row) -> unescape(new String(row.getBytes("lock_key"), StandardCharsets.UTF_8))),

	/**
	 * As the hexadecimal digits of those bytes, for databases of which nothing is known.
	 */
	HEX((key) -> HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8)),
			(row) -> new String(HexFormat.of().parseHex(row.getString("lock_key")), StandardCharsets.UTF_8));

	private final Function<String, Object> toColumn;

	private final SqlFunction<ResultSet, String> fromRow;

	KeyColumnType(Function<String, Object> toColumn, SqlFunction<ResultSet, String> fromRow) {
		this.toColumn = toColumn;
		this.fromRow = fromRow;
	}

	Object toColumn(String key) {
		return this.toColumn.apply(key);
	}

	String fromRow(ResultSet row) throws SQLException {
		return this.fromRow.apply(row);
	}

	private static String escape(String key) {
		if (key.indexOf('\\') < 0 && key.indexOf('\0') < 0) {
			return key;
		}
		return key.replace("\\", "\\\\").replace("\0", "\\0");
	}

	private static String unescape(String stored) {
		if (stored.indexOf('\\') < 0) {
			return stored;
		}
		StringBuilder key = new StringBuilder(stored.length());
		for (int i = 0; i < stored.length(); i++) {
			char next = stored.charAt(i);
			if (next == '\\' && i + 1 < stored.length()) {
				i++;
				next = (stored.charAt(i) == '0') ? '\0' : stored.charAt(i);
			}
			key.append(next);
		}
		return key.toString();
	}

}
