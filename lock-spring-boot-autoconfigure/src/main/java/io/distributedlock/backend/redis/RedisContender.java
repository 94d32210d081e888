package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.TokenRange;

/**
 * Attempts to take a lock, by one script each. Keeps no place in line, but hears of
 * releases from its first attempt that waits until its grant or its withdrawal.
 */
final class RedisContender implements Contender {

	/**
	 * What a waiter takes for the rest of a lock that never expires.
	 */
	private static final Duration NO_END = PollDelay.LONGEST_NOTIFIED;

	private static final Duration WHILE_SLOT_MOVES = Duration.ofMillis(25);

	private final LockTarget target;

	private final Runnable wakeUp;

	private final Supplier<Operation> operation;

	private final LockClock clock;

	private final PollDelay pollDelay = new PollDelay();

	// Guarded by this object's monitor.
	private @Nullable ReleaseWaiter waiter;

	RedisContender(LockTarget target, Runnable wakeUp, Supplier<Operation> operation, LockClock clock) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.operation = operation;
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		Operation current;
		try {
			current = this.operation.get();
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(ex, false));
		}
		boolean notified = request.waiting() && join(current);
		return send(current, request, notified, this.clock.nanoTime() + request.timeout().toNanos());
	}

	private CompletionStage<AttemptOutcome> send(Operation current, LeaseRequest request, boolean notified, long end) {
		long sentAt = this.clock.nanoTime();
		CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
		current.commands()
			.acquire(this.target.key(), request, Duration.ofNanos(Math.max(1, end - sentAt)))
			.whenComplete((reply, fault) -> {
				if (fault == null) {
					settle(outcome, () -> outcome(current, request, notified, reply, sentAt));
				}
				else if (RedisFaults.isSlotMoving(fault) && this.clock.nanoTime() + WHILE_SLOT_MOVES.toNanos() < end) {
					this.clock.schedule(WHILE_SLOT_MOVES,
							() -> send(current, request, notified, end).thenAccept(outcome::complete));
				}
				else {
					outcome.complete(new AttemptOutcome.Unavailable(fault, RedisFaults.mayBeSent(fault)));
				}
			});
		return outcome;
	}

	private static void settle(CompletableFuture<AttemptOutcome> outcome, Supplier<AttemptOutcome> reading) {
		AttemptOutcome read;
		try {
			read = reading.get();
		}
		catch (RuntimeException ex) {
			read = new AttemptOutcome.Unavailable(RedisFaults.explain(ex), true);
		}
		outcome.complete(read);
	}

	private AttemptOutcome outcome(Operation current, LeaseRequest request, boolean notified, List<Object> reply,
			long sentAt) {
		int kind = (int) ScriptReplies.number(reply.get(0));
		return switch (kind) {
			case 0 -> {
				if (request.waiting()) {
					current.notifications().subscribe();
				}
				yield busy(ScriptReplies.number(reply.get(1)), notified);
			}
			case 1 -> granted(current, request, reply, sentAt);
			case 2 -> {
				end();
				yield new AttemptOutcome.Done(Instant.ofEpochMilli(ScriptReplies.number(reply.get(1))));
			}
			case 5 -> new AttemptOutcome.Unavailable(new NotSentException(RedisFaults.notUnderstood(
					current.requests().keys().all(this.target.key()).get(1), ScriptReplies.text(reply.get(1))), null),
					false);
			default -> throw new IllegalStateException("The script " + RedisScripts.ACQUIRE + " returned " + kind);
		};
	}

	private AttemptOutcome granted(Operation current, LeaseRequest request, List<Object> reply, long sentAt) {
		LockUnavailableException missing = current.replicas().judge(this.target.key(), reply);
		if (missing != null) {
			return new AttemptOutcome.Unavailable(missing, true);
		}
		end();
		TokenRange tokens = new TokenRange(ScriptReplies.number(reply.get(1)),
				(int) ScriptReplies.number(reply.get(2)));
		return new AttemptOutcome.Granted(
				new LeaseGrant(this.target, request.ownerId(), tokens, LockClock.validUntil(sentAt, request.ttl())));
	}

	private AttemptOutcome busy(long restMillis, boolean notified) {
		Duration rest = (restMillis >= 0) ? ScriptReplies.duration(Math.max(1, restMillis)) : NO_END;
		return new AttemptOutcome.Busy((restMillis >= 0) ? rest : null,
				notified ? this.pollDelay.notified(rest) : this.pollDelay.unnotified(rest));
	}

	/**
	 * Join the waiters, before the attempt that leaves the mark.
	 * @return whether this one is notified of releases
	 */
	private synchronized boolean join(Operation current) {
		if (this.waiter == null) {
			String lock = new String(current.requests().keys().lock(this.target.key()), StandardCharsets.UTF_8);
			this.waiter = current.notifications().waiter(lock, this.wakeUp);
		}
		return this.waiter.join();
	}

	private synchronized void end() {
		if (this.waiter != null) {
			this.waiter.leave();
		}
	}

	@Override
	public void withdraw() {
		end();
	}

}
