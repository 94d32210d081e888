package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;

/**
 * One attempt: enter the line, or look where the place in it stands. Its steps follow
 * each other on the event thread of the client, until one of them, or the time-out,
 * decides the outcome.
 */
final class Attempt {

	private final Operation operation;

	private final ZooKeeperContender contender;

	private final LeaseRequest request;

	private final String lockPath;

	private final long startedAt;

	private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

	private final Entry entry;

	private final Claim claim;

	// Whether this attempt made the place, or may have; read by the timer.
	private volatile boolean entered;

	Attempt(Operation operation, ZooKeeperContender contender, LeaseRequest request) {
		this.operation = operation;
		this.contender = contender;
		this.request = request;
		this.lockPath = operation.paths().lock(contender.target().key());
		this.startedAt = operation.clock().nanoTime();
		this.entry = new Entry(operation, this.lockPath, request, this.outcome);
		this.claim = new Claim(operation, contender, request, this);
	}

	CompletableFuture<AttemptOutcome> start() {
		LockClock.Timeout timer = this.operation.clock().schedule(this.request.timeout(), this::unanswered);
		this.operation.begin(this.request.ownerId());
		this.outcome.whenComplete((value, failure) -> {
			timer.cancel();
			this.operation.over(this.request.ownerId());
		});
		Place granted = this.operation.held(this.request.ownerId());
		Place place = this.contender.place();
		if (granted != null) {
			// This attempt was sent again; it has what it was granted.
			this.claim.hold(granted);
		}
		else if (place != null && !place.session().isEnded()) {
			look(place);
		}
		else {
			enter();
		}
		return this.outcome;
	}

	long startedAt() {
		return this.startedAt;
	}

	private void enter() {
		this.contender.leaveLine();
		this.entered = true;
		this.entry.enter().whenComplete((found, fault) -> {
			if (fault != null) {
				unavailable(Faults.cause(fault), false);
			}
			else if (this.outcome.isDone()) {
				this.operation.removals().remove(found.place());
			}
			else {
				guarded(() -> goOn(found.place(), found.names()));
			}
		});
	}

	private void goOn(Place place, @Nullable List<String> names) {
		if (names != null && this.contender.predecessors().isEmpty()) {
			decide(place, LockListing.of(names), null);
		}
		else {
			look(place);
		}
	}

	void look(Place place) {
		if (this.contender.predecessors().isEmpty()) {
			step(place, (session) -> session.requests().getChildren(this.lockPath),
					(names) -> decide(place, LockListing.of(names), null));
			return;
		}
		// In this order: a session takes all its nodes along at once, so that a heartbeat
		// that is listed after a place was missing shows that the place went before it.
		step(place,
				(session) -> session.requests()
					.getChildren(this.lockPath)
					.thenCombine(sessions(session), (names, sessions) -> new Look(LockListing.of(names), sessions)),
				(look) -> decide(place, look.line(), look.sessions()));
	}

	private CompletableFuture<SessionListing> sessions(Session session) {
		return Faults.orElse(session.requests().getChildren(this.operation.paths().sessions()), List.of())
			.thenApply(SessionListing::of);
	}

	/**
	 * Go on with what a look has shown.
	 * @param sessions what was listed after the line, if there was a need
	 */
	private void decide(Place place, LockListing listing, @Nullable SessionListing sessions) {
		if (!listing.contains(place.name())) {
			enter();
			return;
		}
		this.entry.removeOthersOf(place, listing);
		Predecessors predecessors = this.contender.predecessors();
		if (sessions != null) {
			predecessors.compare(listing, sessions,
					(gone, timeout) -> this.operation.endOfLeases(place.session(), gone, timeout));
		}
		predecessors.saw(listing.allBefore(place.name()));
		TickNode done = doneTick(place, listing);
		LineNode before = listing.before(place.name());
		LockUnavailableException unknown = listing.takenByUnknown(this.contender.target().key());
		if (unknown != null) {
			end(place, new AttemptOutcome.Unavailable(unknown, false));
		}
		else if (done != null) {
			end(place, new AttemptOutcome.Done(Instant.ofEpochMilli(done.millis())));
		}
		else if (before == null) {
			first(place, listing, predecessors.rest(this.operation.clock().nanoTime()));
		}
		else if (this.request.waiting()) {
			watch(place, before);
		}
		else {
			giveWay(place, before);
		}
	}

	private void first(Place place, LockListing listing, Duration grace) {
		if (grace.isZero()) {
			this.claim.begin(place, listing);
		}
		else {
			rest(place, grace);
		}
	}

	/**
	 * End as the first in line that may not have the lock yet.
	 */
	void rest(Place place, Duration rest) {
		AttemptOutcome.Busy busy = new AttemptOutcome.Busy(rest, rest);
		if (this.request.waiting()) {
			wait(place, null, busy);
		}
		else {
			end(place, busy);
		}
	}

	private @Nullable TickNode doneTick(Place place, LockListing listing) {
		TickNode latest = listing.latestTick();
		Instant wanted = this.request.tick();
		boolean done = latest != null && wanted != null && latest.millis() >= wanted.toEpochMilli()
				&& !latest.isOf(place, wanted);
		return done ? latest : null;
	}

	/**
	 * Wait behind another place. Where it is gone meanwhile there is nothing to watch.
	 */
	private void watch(Place place, LineNode before) {
		String path = this.lockPath + "/" + before.name();
		step(place,
				(session) -> session.requests()
					.watch(path, this.contender.watcher())
					.thenCombine(sessions(session), (stat, sessions) -> sessions),
				(sessions) -> {
					this.contender.predecessors().know(sessions);
					this.contender.predecessors().waitFor(before.session());
					this.operation.heartbeatWatches().watch(place.session(), before.session(), sessions);
					wait(place, path, new AttemptOutcome.Busy(null, poll(place)));
				}, () -> look(place));
	}

	private void wait(Place place, @Nullable String watched, AttemptOutcome.Busy busy) {
		if (!this.contender.keep(place, watched)) {
			if (watched != null) {
				place.session().requests().unwatch(watched);
			}
			this.operation.removals().remove(place);
		}
		if (!this.outcome.complete(busy) && this.entered) {
			// The engine abandons what this attempt has made.
			this.contender.giveUp();
		}
	}

	/**
	 * Leave the line, provided that the one before is still there: else nobody might have
	 * the lock, and this attempt called it busy.
	 */
	private void giveWay(Place place, LineNode before) {
		List<Op> both = List.of(Op.check(this.lockPath + "/" + before.name(), -1), Op.delete(place.path(), -1));
		step(place, (session) -> session.requests().multi(both), (done) -> {
			this.contender.leaveLine();
			this.outcome.complete(new AttemptOutcome.Busy(null, poll(place)));
		}, () -> look(place));
	}

	private static Duration poll(Place place) {
		return Duration.ofNanos(place.session().timeout());
	}

	/**
	 * End without a grant and without a place in line, when that is gone.
	 */
	void end(Place place, AttemptOutcome end) {
		this.contender.giveUp(place).whenComplete((removed, fault) -> {
			if (fault == null) {
				this.outcome.complete(end);
			}
			else {
				unavailable(Faults.cause(fault), this.entered);
			}
		});
	}

	/**
	 * End with a store that did not answer in time. A place that this attempt has made,
	 * or may have made, is the engine's to abandon; one that was there before stays in
	 * line.
	 */
	void unanswered() {
		unavailable(Calls.noAnswer(this.request.timeout()), this.entered);
	}

	/**
	 * End with an outcome.
	 * @return {@code false} if it has ended otherwise
	 */
	boolean complete(AttemptOutcome end) {
		return this.outcome.complete(end);
	}

	private void unavailable(Throwable cause, boolean sent) {
		this.outcome.complete(new AttemptOutcome.Unavailable(cause, sent));
	}

	<T> void step(Place place, Request<T> request, Next<T> next) {
		step(place, request, next, () -> enter());
	}

	/**
	 * Send a request for a place, again where its connection is lost, and go on with the
	 * answer.
	 * @param otherwise what to do where a node is missing
	 */
	<T> void step(Place place, Request<T> request, Next<T> next, Runnable otherwise) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		this.operation.calls().in(place.session(), request::send, answer);
		answer.whenComplete((value, fault) -> {
			if (this.outcome.isDone()) {
				leaveLate(place);
			}
			else if (fault == null) {
				guarded(() -> next.go(value));
			}
			else if (Faults.isNoNode(fault) || Faults.isNodeExists(fault)) {
				guarded(otherwise);
			}
			else if (Faults.isSessionEnd(fault)) {
				guarded(this::enter);
			}
			else {
				unavailable(Faults.cause(fault), this.entered);
				leaveLate(place);
			}
		});
	}

	/**
	 * Take away the place of an attempt whose outcome was decided without it.
	 */
	private void leaveLate(Place place) {
		if (this.entered) {
			this.contender.leaveLine();
			this.operation.removals().remove(place);
		}
	}

	private void guarded(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			unavailable(ex, this.entered);
		}
	}

	/**
	 * What one flush has shown.
	 */
	private record Look(LockListing line, SessionListing sessions) {
	}

	/**
	 * Sends a request in a session.
	 */
	@FunctionalInterface
	interface Request<T> {

		CompletableFuture<T> send(Session session);

	}

	/**
	 * What follows an answer.
	 */
	@FunctionalInterface
	interface Next<T> {

		void go(T answer);

	}

}
