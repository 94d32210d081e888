package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the answers to web requests.
 *
 * @param problemDetails the problem details of failed requests
 */
@ConfigurationProperties("lock.web")
record LockWebProperties(@DefaultValue ProblemDetails problemDetails) {

	/**
	 * Properties of the problem details of failed requests.
	 *
	 * @param enabled Whether web requests that fail with an exception of a lock are
	 * answered with problem details (RFC 9457), unless the application handles the
	 * exception.
	 */
	record ProblemDetails(@DefaultValue("false") boolean enabled) {

	}

}
