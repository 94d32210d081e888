package io.distributedlock.sample.page;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the state to all open pages, as server-sent events. Each event is complete, so a
 * page that reconnects needs nothing from before. Ends the streams first of all when the
 * application stops; its graceful shutdown would otherwise wait for them.
 */
@Component
class LiveStream implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LiveStream.class);

	/**
	 * The page reconnects by itself; a stream without an end would keep what is gone.
	 */
	private static final long LONGEST_MILLIS = 600_000;

	private final PageState state;

	private final Set<SseEmitter> pages = ConcurrentHashMap.newKeySet();

	private volatile boolean running;

	LiveStream(PageState state) {
		this.state = state;
	}

	/**
	 * Open a stream, which begins with the present state.
	 */
	SseEmitter open() {
		SseEmitter page = new SseEmitter(LONGEST_MILLIS);
		page.onCompletion(() -> this.pages.remove(page));
		page.onTimeout(page::complete);
		send(page, this.state.read());
		this.pages.add(page);
		if (!this.running) {
			page.complete();
		}
		return page;
	}

	@Scheduled(fixedDelayString = "${sample.page.refresh}")
	void refresh() {
		if (!this.pages.isEmpty()) {
			Map<String, Object> current = this.state.read();
			this.pages.forEach((page) -> send(page, current));
		}
	}

	private void send(SseEmitter page, Map<String, Object> current) {
		try {
			page.send(SseEmitter.event().name("state").data(current, MediaType.APPLICATION_JSON));
		}
		catch (IOException | IllegalStateException ex) {
			logger.debug("A page has gone", ex);
			this.pages.remove(page);
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.pages.forEach(SseEmitter::complete);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
