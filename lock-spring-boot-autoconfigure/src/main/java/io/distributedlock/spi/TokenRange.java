package io.distributedlock.spi;

/**
 * The fencing tokens of one grant, from {@code first} to {@code first + count - 1}. All
 * are greater than those of every earlier grant on the key, and smaller than those of
 * every later one.
 *
 * @param first the token of the first holder
 * @param count the number of tokens, at least one
 * @since 0.1.0
 */
public record TokenRange(long first, int count) {

	public TokenRange {
		if (count < 1) {
			throw new IllegalArgumentException("A token range needs at least one token, not " + count);
		}
	}

	/**
	 * Return the greatest token of the range.
	 * @return the token
	 */
	public long last() {
		return this.first + this.count - 1;
	}

}
