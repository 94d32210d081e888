package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Keeps the link to etcd that is in use. If the clients belong to this backend and
 * requests have not been answered for one call timeout, it opens further clients one
 * after the other, beside the one in use. It then uses the first one that etcd answers. A
 * connection may have been dropped silently on the way. A client waits up to two minutes
 * before it reconnects, and can't be made to do so at once.
 * <p>
 * A client that is slow to connect is not given up for that. The one in use stays until
 * another one is answered. A further client stays until another one is answered, or four
 * have been opened after it.
 */
final class EtcdLinks {

	private static final Logger logger = LoggerFactory.getLogger(EtcdLinks.class);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/**
	 * The pause between further clients in a long outage.
	 */
	private static final Duration LATER_PAUSE = Duration.ofSeconds(2);

	private static final Duration LONG_OUTAGE = Duration.ofSeconds(15);

	private static final Duration PROBE_AGAIN = Duration.ofMillis(200);

	private static final int CANDIDATES = 4;

	/**
	 * No lease of etcd has this id, so the request for its state needs no permission.
	 */
	private static final long NO_LEASE = 0;

	private final Supplier<EtcdLink> links;

	private final boolean reopens;

	private final LockClock clock;

	private final Duration patience;

	private final AtomicBoolean watching = new AtomicBoolean();

	private volatile Runnable onRecovery = () -> {
	};

	// Whether the latest request was not answered; need not be exact.
	private volatile boolean silent;

	// Written under the monitor.
	private volatile EtcdLink current;

	// When the first request after the latest answer was sent, if any. Written without a
	// lock, since it need not be exact.
	private volatile @Nullable Long unansweredSince;

	// The links that are tried. Guarded by the monitor, like the field below.
	private final Deque<EtcdLink> candidates = new ArrayDeque<>();

	// Whether there are candidates. Written under the monitor. An answer resets the time
	// above and then reads this; adding a candidate sets this and then reads that time.
	// So one of both drops the candidate.
	private volatile boolean trying;

	private long nextCandidateAt;

	// Written under the monitor.
	private volatile boolean closed;

	/**
	 * Open a link.
	 * @param links creates a link, without waiting for its connection
	 * @param reopens whether each link has a client of its own, so that others can be
	 * tried
	 * @param clock the time
	 * @param patience how long requests may be unanswered before further clients are
	 * tried
	 */
	EtcdLinks(Supplier<EtcdLink> links, boolean reopens, LockClock clock, Duration patience) {
		this.links = links;
		this.reopens = reopens;
		this.clock = clock;
		this.patience = patience;
		this.current = links.get();
		this.nextCandidateAt = clock.nanoTime();
	}

	/**
	 * Run an action each time etcd answers again after an unanswered request, or another
	 * link is used.
	 * @param action the action, which does not block
	 */
	void onRecovery(Runnable action) {
		this.onRecovery = action;
	}

	/**
	 * Return the link that is in use.
	 */
	EtcdLink current() {
		return this.current;
	}

	/**
	 * Return the link that is in use, for a request that is sent now.
	 */
	EtcdLink ask() {
		if (this.unansweredSince == null) {
			this.unansweredSince = this.clock.nanoTime();
		}
		expectAnswer();
		return this.current;
	}

	/**
	 * Record the result of a request.
	 */
	void note(boolean answer) {
		if (!answer) {
			this.silent = true;
			suspect();
			return;
		}
		this.unansweredSince = null;
		if (this.trying) {
			synchronized (this) {
				dropCandidates();
			}
		}
		if (this.silent) {
			this.silent = false;
			this.onRecovery.run();
		}
	}

	/**
	 * Schedule a check whether any request was answered, unless one is scheduled already.
	 */
	private void expectAnswer() {
		if (this.reopens && this.watching.compareAndSet(false, true)) {
			this.clock.schedule(this.patience, () -> {
				this.watching.set(false);
				if (this.unansweredSince != null && !this.closed) {
					suspect();
					expectAnswer();
				}
			});
		}
	}

	/**
	 * Try another client if there was no answer for too long, unless one was opened just
	 * now.
	 */
	private void suspect() {
		long now = this.clock.nanoTime();
		Long since = this.unansweredSince;
		Duration silence = (since != null) ? Duration.ofNanos(now - since) : Duration.ZERO;
		if (!this.reopens || since == null || silence.compareTo(this.patience) < 0) {
			return;
		}
		synchronized (this) {
			if (this.closed || this.nextCandidateAt - now > 0) {
				return;
			}
			this.nextCandidateAt = now + pause(silence).toNanos();
		}
		logger.debug("No answer from etcd for {} ms; connecting anew", silence.toMillis());
		// Not on a thread that belongs to a client.
		this.clock.schedule(Duration.ZERO, this::tryAnother);
	}

	private void tryAnother() {
		EtcdLink opened;
		try {
			opened = this.links.get();
		}
		catch (RuntimeException ex) {
			logger.debug("No further client of etcd could be created", ex);
			return;
		}
		synchronized (this) {
			this.candidates.addLast(opened);
			this.trying = true;
			if (this.closed || this.unansweredSince == null) {
				drop(this.candidates.removeLast());
			}
			else if (this.candidates.size() > CANDIDATES) {
				drop(this.candidates.removeFirst());
			}
		}
		probe(opened);
	}

	private Duration pause(Duration silence) {
		if (silence.compareTo(LONG_OUTAGE) > 0) {
			return LATER_PAUSE;
		}
		return Collections.max(List.of(SHORTEST_PAUSE, Collections.min(List.of(this.patience, LONGEST_PAUSE))));
	}

	private void probe(EtcdLink candidate) {
		if (!isCandidate(candidate)) {
			return;
		}
		candidate.state(NO_LEASE, false).whenComplete((answer, fault) -> {
			if (EtcdFaults.isAnswer(fault)) {
				use(candidate);
			}
			else {
				this.clock.schedule(PROBE_AGAIN, () -> probe(candidate));
			}
		});
	}

	private synchronized boolean isCandidate(EtcdLink link) {
		return this.candidates.contains(link);
	}

	private void use(EtcdLink candidate) {
		synchronized (this) {
			if (!this.candidates.remove(candidate)) {
				return;
			}
			this.candidates.addLast(this.current);
			this.current = candidate;
			this.unansweredSince = null;
			dropCandidates();
		}
		this.onRecovery.run();
	}

	private void dropCandidates() {
		this.candidates.forEach(this::drop);
		this.candidates.clear();
		this.trying = false;
	}

	private void drop(EtcdLink unused) {
		// Not on a thread that belongs to one of the clients.
		this.clock.schedule(Duration.ZERO, unused::close);
	}

	void close() {
		List<EtcdLink> all;
		synchronized (this) {
			this.closed = true;
			all = new ArrayList<>(this.candidates);
			this.candidates.clear();
		}
		all.add(this.current);
		all.forEach(EtcdLink::close);
	}

}
