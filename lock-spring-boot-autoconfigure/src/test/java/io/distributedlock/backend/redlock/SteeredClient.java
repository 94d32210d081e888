package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client of a {@link NodesFixture}. Its messages can be delayed and lost.
 */
final class SteeredClient {

	private static final LockTarget TARGET = LockTarget.exclusive(NodesFixture.KEY);

	private final VirtualLockClock clock;

	private final List<TroubledWay> ways;

	final BackendConnection connection;

	final List<OwnerId> losses = new ArrayList<>();

	/**
	 * What the client has reported of the nodes.
	 */
	final List<String> news = new ArrayList<>();

	SteeredClient(NodesFixture fixture, RedlockSettings settings) {
		this.clock = fixture.clock;
		this.ways = fixture.ways().stream().map(TroubledWay::new).toList();
		this.connection = new RedlockLockBackend(() -> this.ways, settings, fixture.clock, RandomSource.ofThreads(),
				new News())
			.connect(this.losses::add);
	}

	TroubledWay way(int index) {
		return this.ways.get(index);
	}

	/**
	 * Begin an attempt.
	 */
	CompletableFuture<AttemptOutcome> begin(LeaseRequest request) {
		return this.connection.contend(TARGET, () -> {
		}).attempt(request).toCompletableFuture();
	}

	CompletableFuture<AttemptOutcome> begin(LockMode mode, LeaseRequest request) {
		return this.connection.contend(LockTarget.of(NodesFixture.KEY, mode), () -> {
		}).attempt(request).toCompletableFuture();
	}

	CompletableFuture<AttemptOutcome> begin() {
		return begin(request(1, null));
	}

	/**
	 * Make an attempt, and let the time pass for which it waits for silent nodes.
	 */
	AttemptOutcome attempt(LeaseRequest request) {
		return ended(begin(request));
	}

	/**
	 * Make an attempt to read.
	 */
	AttemptOutcome read() {
		return ended(begin(LockMode.SHARED, request(1, null)));
	}

	/**
	 * Make an attempt to get one of some permits.
	 */
	AttemptOutcome permit(int permits) {
		return ended(begin(LockMode.PERMITS, permits(permits)));
	}

	/**
	 * Enter the group of readers at once.
	 */
	LeaseGrant enter() {
		return ((AttemptOutcome.Granted) read()).grant();
	}

	/**
	 * Get one of some permits at once.
	 */
	LeaseGrant enter(int permits) {
		return ((AttemptOutcome.Granted) permit(permits)).grant();
	}

	static LeaseRequest permits(int permits) {
		return new LeaseRequest(OwnerId.random(), NodesFixture.TTL, 1, permits, null, false, Duration.ofSeconds(2),
				Duration.ZERO);
	}

	private AttemptOutcome ended(CompletableFuture<AttemptOutcome> attempt) {
		if (!attempt.isDone()) {
			this.clock.advance(Duration.ofMillis(50));
		}
		assertThat(attempt).isCompleted();
		return attempt.join();
	}

	AttemptOutcome attempt() {
		return attempt(request(1, null));
	}

	static LeaseRequest request(int span, @Nullable Instant tick) {
		return new LeaseRequest(OwnerId.random(), NodesFixture.TTL, span, tick, false, Duration.ofSeconds(2),
				Duration.ZERO);
	}

	/**
	 * Acquire the lock at once.
	 */
	LeaseGrant acquire() {
		return acquire(1);
	}

	LeaseGrant acquire(int span) {
		return ((AttemptOutcome.Granted) attempt(request(span, null))).grant();
	}

	CompletableFuture<RenewalOutcome> renew(LeaseGrant grant) {
		return this.connection.renew(List.of(new Renewal(grant, NodesFixture.TTL)))
			.toCompletableFuture()
			.thenApply((outcomes) -> outcomes.get(0));
	}

	CompletableFuture<Boolean> release(LeaseGrant grant) {
		return release(grant, Duration.ZERO);
	}

	CompletableFuture<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return this.connection.release(grant, cooldown).toCompletableFuture();
	}

	private final class News implements RedlockListener {

		@Override
		public void changed(String node, Change change, String subject) {
			String text = switch (change) {
				case DOWN -> node + " is down";
				case QUARANTINED -> node + " is in quarantine";
				case VOTING -> node + " votes";
				case REFUSED -> node + " is refused";
				case COMMAND_REFUSED -> node + " refuses a command";
				case FLOOR_ESTIMATED -> "floor of " + node + " is estimated";
				case CLOCK_JUMPED -> "clock of " + node + " jumped";
			};
			SteeredClient.this.news.add(text);
		}

		@Override
		public void stoodStill(Duration length) {
			SteeredClient.this.news.add("own clock stood still");
		}

	}

}
