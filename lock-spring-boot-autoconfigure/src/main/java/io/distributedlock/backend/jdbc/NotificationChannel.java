package io.distributedlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/**
 * Names the channel on which the releases of one table are published.
 */
final class NotificationChannel {

	/**
	 * The longest name that the database accepts.
	 */
	private static final int MAX_BYTES = 63;

	private NotificationChannel() {
	}

	/**
	 * Return the name of the channel. It omits the schema, because two applications may
	 * name the same table with and without it. Tables of the same name in other schemas
	 * share the channel, on which the keys distinguish the locks.
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
