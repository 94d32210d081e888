package io.distributedlock.aop;

/**
 * How annotated methods are treated.
 *
 * @param strict whether startup fails, instead of logging a warning, if a bean was
 * created before it could be proxied, so that its locked methods would run without a lock
 * @since 0.1.0
 */
public record LockAnnotationSettings(boolean strict) {

	/** The default settings. */
	public static final LockAnnotationSettings DEFAULTS = new LockAnnotationSettings(false);

}
