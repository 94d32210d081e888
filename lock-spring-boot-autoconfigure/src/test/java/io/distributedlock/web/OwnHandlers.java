package io.distributedlock.web;

import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.distributedlock.LockBusyException;

/**
 * The ways in which an application handles exceptions itself, each with its own
 * controller.
 */
@Import({ OwnHandlers.InController.class, OwnHandlers.Unordered.class, OwnHandlers.UnorderedAdvice.class,
		OwnHandlers.Last.class, OwnHandlers.LastAdvice.class, OwnHandlers.OfBean.class })
final class OwnHandlers {

	private OwnHandlers() {
	}

	private static LockBusyException busy() {
		return new LockBusyException("k", "busy", null);
	}

	private static ResponseEntity<String> own(String which) {
		return ResponseEntity.status(418).body(which);
	}

	@RestController
	static class InController {

		@GetMapping("/own/controller")
		String fail() {
			throw busy();
		}

		@ExceptionHandler
		ResponseEntity<String> handle(LockBusyException ex) {
			return own("controller");
		}

	}

	@RestController
	static class Unordered {

		@GetMapping("/own/unordered-advice")
		String fail() {
			throw busy();
		}

	}

	@ControllerAdvice(assignableTypes = Unordered.class)
	static class UnorderedAdvice {

		@ExceptionHandler
		ResponseEntity<String> handle(RuntimeException ex) {
			return own("unordered-advice");
		}

	}

	@RestController
	static class Last {

		@GetMapping("/own/last-advice")
		String fail() {
			throw busy();
		}

	}

	@ControllerAdvice(assignableTypes = Last.class)
	@Order(Ordered.LOWEST_PRECEDENCE)
	static class LastAdvice {

		@ExceptionHandler
		ResponseEntity<String> handle(Exception ex) {
			return own("last-advice");
		}

	}

	/**
	 * Has exceptions that a bean handles which is not an advice.
	 */
	@RestController
	static class OfBean {

		@GetMapping("/own/bean")
		String fail() {
			throw busy();
		}

	}

}
