package io.distributedlock.aop;

/**
 * How annotated methods are treated.
 *
 * @param strict whether the start is refused, not only warned of, where a bean has locked
 * methods that would run without a lock because it was made before it could be proxied
 * @since 0.1.0
 */
public record LockAnnotationSettings(boolean strict) {

	/** What applies where nothing is said. */
	public static final LockAnnotationSettings DEFAULTS = new LockAnnotationSettings(false);

}
