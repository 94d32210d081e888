package io.distributedlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/**
 * The name under which the releases in one table are made known.
 */
final class NotificationChannel {

	/**
	 * The database takes no longer names.
	 */
	private static final int MAX_BYTES = 63;

	private NotificationChannel() {
	}

	/**
	 * Return the name. It leaves the schema out, which one application may write and
	 * another not: both mean the same table, and keys tell the rest apart.
	 * @param table the table
	 * @return the name, which needs no escape inside quotes
	 */
	static String of(String table) {
		String name = table.substring(table.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
		byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= MAX_BYTES) {
			return name;
		}
		UUID hash = UUID.nameUUIDFromBytes(bytes);
		return "distributed_lock_" + HexFormat.of().toHexDigits(hash.getMostSignificantBits())
				+ HexFormat.of().toHexDigits(hash.getLeastSignificantBits());
	}

}
