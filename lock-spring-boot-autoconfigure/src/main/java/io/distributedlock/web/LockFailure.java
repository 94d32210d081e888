package io.distributedlock.web;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

import io.distributedlock.LockException;

/**
 * An exception of a lock that made a web request fail, and the problem to report to the
 * client.
 *
 * @param problem the problem
 * @param exception the exception
 */
record LockFailure(LockProblem problem, LockException exception) {

	/**
	 * Find the outermost exception that has an answer among an exception and its causes,
	 * as Spring does for the exception handlers of an application.
	 * @param failure the exception with which a request failed
	 * @return the failure, or {@code null} if there is none, or if an exception around it
	 * declares its own status
	 */
	static @Nullable LockFailure find(Throwable failure) {
		Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		for (Throwable cause = failure; cause != null && seen.add(cause); cause = cause.getCause()) {
			if (saysItsStatus(cause)) {
				return null;
			}
			LockProblem problem = (cause instanceof LockException lock) ? LockProblem.of(lock) : null;
			if (problem != null) {
				return new LockFailure(problem, (LockException) cause);
			}
		}
		return null;
	}

	private static boolean saysItsStatus(Throwable failure) {
		return failure instanceof ErrorResponse
				|| AnnotatedElementUtils.hasAnnotation(failure.getClass(), ResponseStatus.class);
	}

	/**
	 * Log the failure and return the answer to it.
	 * @param texts the texts of the application
	 * @param locale the language of the client
	 * @return the answer
	 */
	ErrorResponse answer(MessageSource texts, @Nullable Locale locale) {
		this.problem.log(this.exception);
		ErrorResponse answer = this.problem.answer(this.exception);
		answer.updateAndGetBody(texts, (locale != null) ? locale : Locale.getDefault());
		return answer;
	}

}
