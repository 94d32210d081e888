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
public record NodeMark(long token, long tick) {

	/**
	 * The marks of a node that knows of nothing.
	 */
	static final NodeMark NONE = new NodeMark(0, 0);

	NodeMark max(NodeMark other) {
		return new NodeMark(Math.max(this.token, other.token), Math.max(this.tick, other.tick));
	}

}
