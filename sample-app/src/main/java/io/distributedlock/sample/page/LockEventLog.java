package io.distributedlock.sample.page;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.TickDoneException;
import io.distributedlock.sample.HolderNotifiedEvent;
import io.distributedlock.sample.WriteRefusedEvent;
import io.distributedlock.sample.page.LockEvent.Kind;
import io.distributedlock.spi.LockListener;

/**
 * Remembers the last events of the locks on this instance.
 */
@Component
class LockEventLog implements LockListener {

	private static final int MOST = 200;

	private static final int MOST_OF_A_KEY = 5;

	private final Clock clock = Clock.systemUTC();

	private final Deque<LockEvent> events = new ArrayDeque<>();

	/**
	 * Return the last events of each key.
	 * @return the events, the latest first
	 */
	synchronized List<LockEvent> latest() {
		Map<String, Integer> counts = new HashMap<>();
		List<LockEvent> latest = new ArrayList<>();
		for (LockEvent event : this.events) {
			if (counts.merge(event.key(), 1, Integer::sum) <= MOST_OF_A_KEY) {
				latest.add(event);
			}
		}
		return latest;
	}

	void add(String key, Kind kind, String text) {
		add(new LockEvent(Instant.now(this.clock), key, kind, text, null));
	}

	private void add(LockRequest request, Kind kind, String text) {
		add(request.getKeys().get(0), kind, text);
	}

	private void add(String key, Kind kind, String text, long token) {
		add(new LockEvent(Instant.now(this.clock), key, kind, text, Long.toString(token)));
	}

	private void add(LockRequest request, Kind kind, String text, Lease lease) {
		String key = request.getKeys().get(0);
		add(key, kind, text, lease.fencingToken(key));
	}

	private synchronized void add(LockEvent event) {
		this.events.addFirst(event);
		if (this.events.size() > MOST) {
			this.events.removeLast();
		}
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		add(request, Kind.ACQUIRED, "Acquired after " + text(waited), lease);
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		add(request, Kind.ACQUIRED, "Handed over in this instance after " + text(waited), lease);
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		add(request, Kind.BUSY, (waited.toMillis() < 100) ? "Busy: skipped" : "Busy: gave up after " + text(waited));
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		if (cause instanceof TickDoneException) {
			add(request, Kind.SKIPPED, "Skipped: another instance has run this tick");
		}
		else {
			String reason = (cause instanceof LockUnavailableException) ? "Store unavailable" : "Ended";
			add(request, Kind.UNAVAILABLE, reason + ": gave up after " + text(waited));
		}
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		add(request, Kind.RELEASED, "Released after " + text(heldFor));
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		String cause = switch (reason) {
			case EXPIRED -> "not renewed in time";
			case TAKEN -> "taken away";
			case MAX_HOLD -> "held for its maximum";
			case STOPPED -> "this instance stops";
		};
		add(request, Kind.LOST, "Lost after %s: %s".formatted(text(heldFor), cause), lease);
	}

	@EventListener
	void on(HolderNotifiedEvent event) {
		add(key(event.order()), Kind.NOTIFIED, "Holder notified", event.token());
	}

	@EventListener
	void on(WriteRefusedEvent event) {
		add(key(event.order()), Kind.REFUSED, "Stale write refused", event.token());
	}

	private static String key(long order) {
		return "order:" + order;
	}

	private static String text(Duration time) {
		long millis = time.toMillis();
		return (millis < 1_000) ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
	}

}
