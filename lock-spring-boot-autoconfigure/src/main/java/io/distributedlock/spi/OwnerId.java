package io.distributedlock.spi;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Identifies the owner of a lease at the store: 128 random bits, new for each attempt, so
 * no other client can guess or repeat them.
 *
 * @param value 32 hexadecimal digits
 * @since 0.1.0
 */
public record OwnerId(String value) {

	private static final SecureRandom RANDOM = new SecureRandom();

	/**
	 * Create a new owner id.
	 * @return the owner id
	 */
	public static OwnerId random() {
		byte[] bits = new byte[16];
		RANDOM.nextBytes(bits);
		return new OwnerId(HexFormat.of().formatHex(bits));
	}

	/**
	 * Return only the first digits, because all of them together allow the release of the
	 * lock.
	 */
	@Override
	public String toString() {
		return this.value.substring(0, 6) + "…";
	}

}
