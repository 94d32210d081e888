package io.distributedlock.web;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.fencing.FencingGuard;

/**
 * Fails in all the ways that locks can fail, in Spring MVC and in Spring WebFlux.
 */
@RestController
public class FailingController {

	private static final String REASON = "'marker-key' at redis://marker-store:6379, held by marker-holder";

	private final Locks locks;

	FailingController(Locks locks) {
		this.locks = locks;
	}

	@GetMapping("/busy/{id}")
	@DistributedLock(name = "marker-key", key = "#id", waitTime = "0s")
	public String busy(@PathVariable String id) {
		return "ran";
	}

	@GetMapping("/busy-later/{id}")
	public CompletableFuture<String> busyLater(@PathVariable String id) {
		return CompletableFuture.supplyAsync(() -> {
			throw new CompletionException(new LockBusyException(id, REASON, null));
		});
	}

	@GetMapping("/stale/{id}")
	@DistributedLock(name = "marker-key", key = "#id")
	public String stale(@PathVariable String id) {
		FencingGuard.requireUpdated(0, "marker-key:" + id, LockContext.current().fencingToken());
		return "ran";
	}

	@GetMapping("/lost/{id}")
	@DistributedLock(name = "marker-key", key = "#id")
	public String lost(@PathVariable String id) {
		this.locks.forceRelease("marker-key:" + id);
		return "ran";
	}

	@GetMapping("/unavailable/{id}")
	public String unavailable(@PathVariable String id) {
		throw new LockUnavailableException(REASON, new IllegalStateException(REASON));
	}

	@GetMapping("/refused/{id}")
	public String refused(@PathVariable String id) {
		throw new LockRefusedException(REASON, null);
	}

	@GetMapping("/limit/{id}")
	public String limit(@PathVariable String id) {
		throw new LockLimitException(REASON);
	}

	@GetMapping("/cause/{id}")
	public String cause(@PathVariable String id) {
		throw new IllegalStateException(REASON, new IllegalArgumentException(new LockBusyException(id, REASON, null)));
	}

	@GetMapping("/invalid/{id}")
	public String invalid(@PathVariable String id) {
		throw new InvalidLockRequestException(REASON);
	}

	@GetMapping("/own-status/{id}")
	public String ownStatus(@PathVariable String id) {
		throw new ResponseStatusException(HttpStatus.GONE, "gone", new LockBusyException(id, REASON, null));
	}

	@GetMapping("/own-annotation/{id}")
	public String ownAnnotation(@PathVariable String id) {
		throw new OutOfReachException(new LockBusyException(id, REASON, null));
	}

	/**
	 * An exception of the application that declares its status.
	 */
	@ResponseStatus(HttpStatus.GONE)
	static class OutOfReachException extends RuntimeException {

		OutOfReachException(Throwable cause) {
			super(cause);
		}

	}

}
