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

	private static final ThreadLocal<RandomBits> BITS = ThreadLocal.withInitial(RandomBits::new);

	/**
	 * Create a new owner id.
	 * @return the owner id
	 */
	public static OwnerId random() {
		return new OwnerId(BITS.get().next());
	}

	/**
	 * Return only the first digits, because all of them together allow the release of the
	 * lock.
	 */
	@Override
	public String toString() {
		return this.value.substring(0, 6) + "…";
	}

	/**
	 * Random bits for several owner ids of one thread. All generators share a lock, for
	 * which the threads would queue with every attempt.
	 */
	private static final class RandomBits {

		private static final int LENGTH = 16;

		private final byte[] bits = new byte[32 * LENGTH];

		private int used = this.bits.length;

		String next() {
			if (this.used == this.bits.length) {
				RANDOM.nextBytes(this.bits);
				this.used = 0;
			}
			int from = this.used;
			this.used += LENGTH;
			return HexFormat.of().formatHex(this.bits, from, this.used);
		}

	}

}
