package io.distributedlock.engine;

/**
 * Determines when a lease is renewed: after each third of its TTL, and sooner after a
 * fault. Written under the monitor of the lease. Reads without it may be outdated, which
 * the thread that writes next makes up for.
 */
final class RenewalSchedule {

	private final ResolvedRequest request;

	private volatile long next;

	private volatile boolean underWay;

	private long sentAt;

	private int failures;

	RenewalSchedule(ResolvedRequest request, long now) {
		this.request = request;
		this.next = now + interval();
	}

	private long interval() {
		return this.request.ttl().toNanos() / 3;
	}

	boolean isDue(long now) {
		return this.next - now <= 0;
	}

	/**
	 * Return whether a renewal may be sent already, together with others that are due: in
	 * the last tenth before it is due, unless it repeats one that failed.
	 */
	boolean isNear(long now) {
		return this.failures == 0 && this.next - now <= interval() / 10;
	}

	/**
	 * Return whether a renewal is under way and its answer is not overdue.
	 */
	boolean isAwaitingAnswer(long now) {
		return this.underWay && now - this.sentAt <= this.request.silenceLimit().toNanos();
	}

	boolean isUnderWay() {
		return this.underWay;
	}

	/**
	 * Return when the next renewal is due.
	 */
	long next() {
		return this.next;
	}

	void begin(long now) {
		this.underWay = true;
		this.sentAt = now;
	}

	/**
	 * End the renewal that is under way.
	 * @param answered whether the store could be asked
	 */
	void end(boolean answered, long now) {
		this.underWay = false;
		if (answered) {
			this.failures = 0;
			this.next = now + interval();
		}
		else {
			// Often enough for a renewal before the deadline if the fault ends before it.
			long delay = StoreFaultBackoff.delay(this.failures++).toNanos();
			this.next = now + Math.min(delay, this.request.ttl().toNanos() / 10);
		}
	}

}
