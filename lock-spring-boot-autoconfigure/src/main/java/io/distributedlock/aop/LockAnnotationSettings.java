package io.distributedlock.aop;

/**
 * How annotated methods are treated.
 *
 * @param strict whether startup fails, instead of logging a warning, if the locked
 * methods of a bean would run without a lock: because it was created before it could be
 * proxied, or because its application context has no locks of its own
 * @since 0.1.0
 */
public record LockAnnotationSettings(boolean strict) {

	/** The default settings. */
	public static final LockAnnotationSettings DEFAULTS = new LockAnnotationSettings(false);

}
