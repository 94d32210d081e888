package io.distributedlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * How a key is written into its column, so that two keys compare as equal only if they
 * are the same, whatever the database makes of case, accents, trailing blanks and NUL.
 */
enum KeyColumnType {

	/**
	 * As text, for columns that compare characters one by one.
	 */
	TEXT {

		@Override
		Object toColumn(String key) {
			return escape(key);
		}

		@Override
		String fromColumn(ResultSet row, String column) throws SQLException {
			return unescape(row.getString(column));
		}

	},

	/**
	 * As the bytes of its UTF-8 form. NUL is escaped here too, since there are databases
	 * that ignore trailing zeros.
	 */
	BINARY {

		@Override
		Object toColumn(String key) {
			return escape(key).getBytes(StandardCharsets.UTF_8);
		}

		@Override
		String fromColumn(ResultSet row, String column) throws SQLException {
			return unescape(new String(row.getBytes(column), StandardCharsets.UTF_8));
		}

	},

	/**
	 * As the hexadecimal digits of those bytes, for databases of which nothing is known.
	 */
	HEX {

		@Override
		Object toColumn(String key) {
			return HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8));
		}

		@Override
		String fromColumn(ResultSet row, String column) throws SQLException {
			return new String(HexFormat.of().parseHex(row.getString(column)), StandardCharsets.UTF_8);
		}

	};

	abstract Object toColumn(String key);

	abstract String fromColumn(ResultSet row, String column) throws SQLException;

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
