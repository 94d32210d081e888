package io.distributedlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.TokenRange;

/**
 * Attempts to take a lock or to enter a group, with one script for each attempt. It keeps
 * no place in a queue. It receives release notifications from its first waiting attempt
 * until its grant or its withdrawal.
 * <p>
 * The first exclusive attempt that waits and meets a group is sent again at once, so that
 * it closes the door to new members. Later attempts close it with their only script.
 */
final class RedisContender implements Contender {

	/**
	 * Remaining time that a waiter assumes for a lock that never expires.
	 */
	private static final Duration NO_END = PollDelay.LONGEST_NOTIFIED;

	private static final Duration WHILE_SLOT_MOVES = Duration.ofMillis(25);

	private final LockTarget target;

	private final LeaseCommands commands;

	private final RedisKeys keys;

	private final ReplicaAcknowledgements replicas;

	private final ReleaseWaiter waiter;

	private final Consumer<String> openDoor;

	private final LockClock clock;

	// The name under which this contender closes doors, once it has met a group. Written
	// by one attempt at a time.
	private volatile @Nullable String doorName;

	private volatile boolean withdrawn;

	private final PollDelay pollDelay = new PollDelay();

	/**
	 * Create a contender.
	 * @param target what to lock
	 * @param commands runs the script
	 * @param keys the names of keys, for messages
	 * @param replicas judges whether enough replicas have acknowledged a lease
	 * @param waiter the waiter of this contender, which has not joined yet
	 * @param openDoor opens the door that is closed under a name, without waiting for it
	 * @param clock the clock of this JVM
	 */
	RedisContender(LockTarget target, LeaseCommands commands, RedisKeys keys, ReplicaAcknowledgements replicas,
			ReleaseWaiter waiter, Consumer<String> openDoor, LockClock clock) {
		this.target = target;
		this.commands = commands;
		this.keys = keys;
		this.replicas = replicas;
		this.waiter = waiter;
		this.openDoor = openDoor;
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		// Join before the attempt that leaves the mark.
		boolean notified = request.waiting() && this.waiter.join();
		return send(request, notified, CallDeadline.in(request.timeout(), this.clock));
	}

	private CompletionStage<AttemptOutcome> send(LeaseRequest request, boolean notified, CallDeadline deadline) {
		long sentAt = this.clock.nanoTime();
		String door = this.doorName;
		return this.commands
			.acquire(this.target, request, (door != null) ? new DoorToClose(door, notified) : null, deadline.left())
			.thenApply((reply) -> outcome(request, notified, reply, sentAt))
			.exceptionallyCompose((fault) -> {
				if (CompletionCauses.unwrap(fault) instanceof GroupMetException) {
					this.doorName = request.ownerId().value();
					return send(request, notified, deadline);
				}
				if (RedisFaults.isSlotMoving(fault) && deadline.left().compareTo(WHILE_SLOT_MOVES) > 0) {
					return sendLater(request, notified, deadline);
				}
				return CompletableFuture.completedStage(RedisFaults.unavailable(fault));
			});
	}

	private CompletionStage<AttemptOutcome> sendLater(LeaseRequest request, boolean notified, CallDeadline deadline) {
		CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
		this.clock.schedule(WHILE_SLOT_MOVES, () -> send(request, notified, deadline).thenAccept(outcome::complete));
		return outcome;
	}

	private AttemptOutcome outcome(LeaseRequest request, boolean notified, List<Object> reply, long sentAt) {
		int kind = (int) ScriptReplies.number(reply.get(0));
		return switch (kind) {
			case 0 -> {
				if (request.waiting()) {
					this.waiter.subscribe();
				}
				if (this.withdrawn) {
					openDoor();
				}
				yield busy(ScriptReplies.number(reply.get(1)), notified);
			}
			case 1 -> granted(request, reply, sentAt);
			case 2 -> {
				this.waiter.leave();
				yield new AttemptOutcome.Done(Instant.ofEpochMilli(ScriptReplies.number(reply.get(1))));
			}
			case 5 -> throw new NotSentException(RedisFaults.notUnderstood(this.keys.all(this.target.key()).get(1),
					ScriptReplies.text(reply.get(1))), null);
			case 6 -> throw new GroupMetException();
			default -> throw new IllegalStateException("The script " + RedisScripts.ACQUIRE + " returned " + kind);
		};
	}

	private AttemptOutcome granted(LeaseRequest request, List<Object> reply, long sentAt) {
		LockUnavailableException missing = this.replicas.judge("the lock on '" + this.target.key() + "'", reply);
		if (missing != null) {
			throw missing;
		}
		this.waiter.leave();
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

	@Override
	public void withdraw() {
		this.waiter.leave();
		this.withdrawn = true;
		openDoor();
	}

	/**
	 * Open the door if this contender has closed it. A grant opens it at the store.
	 */
	private void openDoor() {
		String name = this.doorName;
		if (name != null) {
			this.openDoor.accept(name);
		}
	}

	/**
	 * Thrown when an attempt that waits has met a group and has to name the door.
	 */
	private static final class GroupMetException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		GroupMetException() {
			super("A group has the lock", null, false, false);
		}

	}

}
