package io.distributedlock.web;

import java.net.URI;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.StaleTokenException;

/**
 * The kinds of failed requests that have an answer of their own. The texts are constants.
 * Only the time to retry after is taken from the exception, because its message names
 * keys, tokens and addresses.
 */
enum LockProblem {

	BUSY(LockBusyException.class, HttpStatus.CONFLICT, "lock-busy", "Resource busy",
			"Another request is using the resource. Try again later."),

	LIMIT(LockLimitException.class, HttpStatus.TOO_MANY_REQUESTS, "lock-limit", "Too many requests",
			"Too many requests are using or waiting for resources. Try again later."),

	UNAVAILABLE(LockUnavailableException.class, HttpStatus.SERVICE_UNAVAILABLE, "lock-unavailable",
			"Service unavailable", "Access to the resource can't be coordinated at the moment. Try again later."),

	LEASE_LOST(LeaseLostException.class, HttpStatus.CONFLICT, "lock-lost", "Exclusive access lost",
			"The request lost its exclusive access to the resource before it ended. "
					+ "Check the state of the resource before you try again."),

	STALE_TOKEN(StaleTokenException.class, HttpStatus.CONFLICT, "stale-token", "Change refused",
			"The change was refused because a later request has changed the resource already. "
					+ "Check the state of the resource before you try again.");

	private static final Logger logger = LoggerFactory.getLogger(LockProblem.class);

	private final Class<? extends LockException> exception;

	private final HttpStatus status;

	private final URI type;

	private final String title;

	private final String detail;

	LockProblem(Class<? extends LockException> exception, HttpStatus status, String type, String title, String detail) {
		this.exception = exception;
		this.status = status;
		this.type = URI.create("urn:problem-type:" + type);
		this.title = title;
		this.detail = detail;
	}

	static @Nullable LockProblem of(LockException failure) {
		for (LockProblem problem : values()) {
			if (problem.exception.isInstance(failure)) {
				return problem;
			}
		}
		return null;
	}

	/**
	 * Return the answer. The codes of its texts end with the name of the exception that
	 * is mapped, also for subclasses of it.
	 * @param failure the exception that is answered
	 */
	ErrorResponse answer(LockException failure) {
		ErrorResponse.Builder answer = ErrorResponse.builder(failure, ProblemDetail.forStatus(this.status))
			.type(this.type)
			.typeMessageCode(ErrorResponse.getDefaultTypeMessageCode(this.exception))
			.title(this.title)
			.titleMessageCode(ErrorResponse.getDefaultTitleMessageCode(this.exception))
			.detail(this.detail)
			.detailMessageCode(ErrorResponse.getDefaultDetailMessageCode(this.exception, null));
		if (failure instanceof LockBusyException busy) {
			busy.retryAfter().ifPresent((time) -> answer.header(HttpHeaders.RETRY_AFTER, wholeSeconds(time)));
		}
		return answer.build();
	}

	/**
	 * Log why the request failed, which the answer does not reveal. Contention is logged
	 * at debug level, because it is normal.
	 * @param failure the exception that is answered
	 */
	void log(LockException failure) {
		if (this == BUSY || this == LIMIT) {
			logger.debug("A request was answered with {}: {}", this.status.value(), failure.getMessage());
		}
		else {
			logger.warn("A request was answered with {}: {}", this.status.value(), failure.getMessage());
		}
	}

	private static String wholeSeconds(Duration time) {
		long seconds = (time.getNano() > 0) ? time.getSeconds() + 1 : time.getSeconds();
		return Long.toString(Math.max(1, seconds));
	}

}
