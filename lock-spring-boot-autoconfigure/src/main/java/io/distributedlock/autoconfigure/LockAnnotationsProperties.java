package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.aop.LockAnnotationSettings;

/**
 * Properties of annotated methods.
 *
 * @param strict Whether the application refuses to start, instead of logging a warning,
 * where a bean with locked methods was made before it could be proxied, so that they
 * would run without a lock.
 */
@ConfigurationProperties("lock.annotations")
record LockAnnotationsProperties(@DefaultValue("false") boolean strict) {

	LockAnnotationSettings toSettings() {
		return new LockAnnotationSettings(this.strict);
	}

}
