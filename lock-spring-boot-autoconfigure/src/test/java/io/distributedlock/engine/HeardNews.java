package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockListener;

/**
 * A listener that records each event as "event key" and passes it on.
 */
final class HeardNews implements LockListener {

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final Consumer<String> next;

	HeardNews(Consumer<String> next) {
		this.next = next;
	}

	/**
	 * Return the events of a key in their order.
	 */
	List<String> of(String key) {
		return this.heard.stream().filter((event) -> event.endsWith(" " + key)).toList();
	}

	/**
	 * Return the latest event of all keys.
	 */
	String last() {
		return this.heard.get(this.heard.size() - 1);
	}

	private void hear(String event, LockRequest request) {
		String news = event + " " + request.getKeys().get(0);
		this.heard.add(news);
		this.next.accept(news);
	}

	@Override
	public void waiting(String backend, LockRequest request) {
		hear("waiting", request);
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		hear("acquired", request);
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		hear("busy", request);
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		hear("unavailable", request);
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		hear("handedOver", request);
	}

	@Override
	public void renewed(String backend, LockRequest request, Lease lease) {
		hear("renewed", request);
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		hear("released", request);
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		hear("lost", request);
	}

}
