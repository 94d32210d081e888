package io.distributedlock.backend.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

/**
 * A contender that remembers which entries have stopped waiting and which were given up.
 * The test answers the requests of its attempts.
 */
final class TestContender extends QueueContender<TestEntry> {

	final List<TestEntry> stopped = new ArrayList<>();

	final List<TestEntry> dropped = new ArrayList<>();

	private final LockClock clock;

	TestContender(LockClock clock) {
		super(LockTarget.exclusive("k"), () -> {
		});
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		return prepare(request).start();
	}

	TestAttempt prepare(LeaseRequest request) {
		return new TestAttempt(this, request, this.clock);
	}

	@Override
	protected void stopWaiting(TestEntry entry) {
		this.stopped.add(entry);
	}

	@Override
	protected void drop(TestEntry entry) {
		this.dropped.add(entry);
	}

	/**
	 * An attempt of one request, whose answer is the entry.
	 */
	static final class TestAttempt extends QueueAttempt<TestEntry> {

		final CompletableFuture<TestEntry> gone = new CompletableFuture<>();

		boolean entered;

		TestAttempt(TestContender contender, LeaseRequest request, LockClock clock) {
			super(contender, request, clock);
		}

		CompletableFuture<AttemptOutcome> start() {
			startTimer();
			return outcome();
		}

		@Override
		protected boolean hasEntered() {
			return this.entered;
		}

		@Override
		protected void leave(TestEntry entry, AttemptOutcome left) {
			this.gone.thenAccept((removed) -> outcome().complete(left));
		}

		@Override
		protected LockUnavailableException noAnswer() {
			return new LockUnavailableException("no answer");
		}

	}

}
