package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.aop.LockAnnotationSettings;

/**
 * Properties of annotated methods.
 *
 * @param strict Whether startup fails, instead of logging a warning, if a bean with
 * locked methods was created before it could be proxied, so that they would run without a
 * lock.
 */
@ConfigurationProperties("lock.annotations")
record LockAnnotationsProperties(@DefaultValue("false") boolean strict) {

	LockAnnotationSettings toSettings() {
		return new LockAnnotationSettings(this.strict);
	}

}
