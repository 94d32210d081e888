package io.distributedlock.sample;

import java.net.URI;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.StaleTokenException;

/**
 * Reports to callers what went wrong and whether to try again. A busy lock (423) and a
 * store that can't be asked (503) have different answers.
 */
@RestControllerAdvice
class Problems {

	private static final Logger logger = LoggerFactory.getLogger(Problems.class);

	private static final Duration SOON = Duration.ofSeconds(1);

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unknownOrder(UnknownOrderException ex) {
		return problem(HttpStatus.NOT_FOUND, "unknown-order", "Unknown order", ex).build();
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> outOfStock(OutOfStockException ex) {
		return problem(HttpStatus.CONFLICT, "out-of-stock", "Out of stock", ex).build();
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> staleToken(StaleTokenException ex) {
		return problem(HttpStatus.CONFLICT, "stale-token", "A later holder has written; this write was refused", ex)
			.build();
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> leaseLost(LeaseLostException ex) {
		return problem(HttpStatus.CONFLICT, "lease-lost", "The lease had run out; this write was rolled back", ex)
			.build();
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockBusyException ex) {
		return problem(HttpStatus.LOCKED, "busy", "Somebody else holds the lock", ex)
			.retryAfter(ex.retryAfter().orElse(SOON));
	}

	@ExceptionHandler({ LockUnavailableException.class, DataAccessResourceFailureException.class,
			TransientDataAccessException.class, UncategorizedSQLException.class, TransactionException.class })
	ResponseEntity<ProblemDetail> unavailable(RuntimeException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "unavailable", "The store or the database can't be asked", ex)
			.retryAfter(SOON);
	}

	private static Problem problem(HttpStatus status, String type, String title, RuntimeException ex) {
		logger.info("{} {}: {}", status.value(), type, ex.getMessage());
		ProblemDetail body = ProblemDetail.forStatusAndDetail(status, ex.getMessage());
		body.setType(URI.create("urn:problem:" + type));
		body.setTitle(title);
		return new Problem(status, body);
	}

	private record Problem(HttpStatus status, ProblemDetail body) {

		ResponseEntity<ProblemDetail> build() {
			return ResponseEntity.status(this.status).body(this.body);
		}

		ResponseEntity<ProblemDetail> retryAfter(Duration time) {
			// Whole seconds, rounded up, as the header requires.
			long seconds = Math.max(1, time.plusMillis(999).toSeconds());
			return ResponseEntity.status(this.status)
				.header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
				.body(this.body);
		}

	}

}
