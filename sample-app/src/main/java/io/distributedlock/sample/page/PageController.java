package io.distributedlock.sample.page;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.distributedlock.Locks;
import io.distributedlock.sample.page.LockEvent.Kind;

/**
 * What the page asks for, besides orders: the live stream, and to break a lock.
 */
@RestController
class PageController {

	private final LiveStream stream;

	private final Locks locks;

	private final LockEventLog events;

	PageController(LiveStream stream, Locks locks, LockEventLog events) {
		this.stream = stream;
		this.locks = locks;
		this.events = events;
	}

	@GetMapping("/live")
	SseEmitter live() {
		return this.stream.open();
	}

	@PostMapping("/locks/release")
	Release release(@RequestParam String key) {
		boolean held = this.locks.forceRelease(key);
		if (held) {
			this.events.add(key, Kind.FORCED, "Released by force from this page");
		}
		return new Release(key, held);
	}

	/**
	 * The outcome of a release by force.
	 *
	 * @param key the key
	 * @param held whether it had a holder
	 */
	record Release(String key, boolean held) {
	}

}
