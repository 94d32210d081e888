package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.aop.LockAnnotationSettings;

/**
 * Properties of annotated methods.
 *
 * @param strict Whether startup fails, instead of logging a warning, if the locked
 * methods of a bean would run without a lock: because it was created before it could be
 * proxied, or because its application context has no locks of its own.
 */
@ConfigurationProperties("lock.annotations")
record LockAnnotationsProperties(@DefaultValue("false") boolean strict) {

	LockAnnotationSettings toSettings() {
		return new LockAnnotationSettings(this.strict);
	}

}
