package io.distributedlock.spi;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Who a lease belongs to at the store: 128 random bits, new for each attempt, so that
 * nobody but the attempt can guess or repeat them.
 *
 * @param value 32 hexadecimal digits
 * @since 0.1.0
 */
public record OwnerId(String value) {

	// A generator a thread, since a shared SecureRandom makes all threads queue for it.
	private static final ThreadLocal<SecureRandom> RANDOM = ThreadLocal.withInitial(SecureRandom::new);

	/**
	 * Create an owner id that was never used before.
	 * @return the owner id
	 */
	public static OwnerId random() {
		byte[] bits = new byte[16];
		RANDOM.get().nextBytes(bits);
		return new OwnerId(HexFormat.of().formatHex(bits));
	}

	/**
	 * Return the first digits only: whoever knows all of them can release the lock.
	 */
	@Override
	public String toString() {
		return this.value.substring(0, 6) + "…";
	}

}
