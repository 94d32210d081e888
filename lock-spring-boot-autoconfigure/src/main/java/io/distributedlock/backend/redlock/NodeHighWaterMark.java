package io.distributedlock.backend.redlock;

/**
 * The high-water marks of a node over all keys.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param token the greatest token
 * @param tick the greatest tick in ms since 1970
 * @since 0.1.0
 */
public record NodeHighWaterMark(long token, long tick) {

	/**
	 * The marks of a node without stored marks.
	 */
	static final NodeHighWaterMark NONE = new NodeHighWaterMark(0, 0);

	NodeHighWaterMark max(NodeHighWaterMark other) {
		return new NodeHighWaterMark(Math.max(this.token, other.token), Math.max(this.tick, other.tick));
	}

}
