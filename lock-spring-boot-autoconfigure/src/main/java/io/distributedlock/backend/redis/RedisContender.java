package io.distributedlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;

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
 * Attempts to take locks or to enter groups, with one script for each attempt. It keeps
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

	private final KeySlots slots;

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
	 * @param slots knows whether one script may use all keys
	 * @param openDoor opens the doors that are closed under a name, without waiting for
	 * it
	 * @param clock the clock of this JVM
	 */
	RedisContender(LockTarget target, LeaseCommands commands, RedisKeys keys, ReplicaAcknowledgements replicas,
			ReleaseWaiter waiter, KeySlots slots, Consumer<String> openDoor, LockClock clock) {
		this.target = target;
		this.commands = commands;
		this.keys = keys;
		this.replicas = replicas;
		this.waiter = waiter;
		this.slots = slots;
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
				if (this.slots.areFoundApart(fault)) {
					return CompletableFuture.completedStage(apart(request, fault));
				}
				return CompletableFuture.completedStage(RedisFaults.unavailable(fault));
			});
	}

	private CompletionStage<AttemptOutcome> sendLater(LeaseRequest request, boolean notified, CallDeadline deadline) {
		CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
		this.clock.schedule(WHILE_SLOT_MOVES, () -> send(request, notified, deadline).thenAccept(outcome::complete));
		return outcome;
	}

	/**
	 * Return the outcome of an attempt that the server refuses because the keys are in
	 * different slots. One that waits is busy a few times in a row, after which the
	 * engine takes the keys one by one.
	 */
	private AttemptOutcome apart(LeaseRequest request, Throwable fault) {
		if (request.waiting()) {
			return new AttemptOutcome.Busy(null, Duration.ZERO);
		}
		return RedisFaults.unavailable(new NotSentException("The Redis of the locks belongs to a Cluster, and refuses "
				+ this.target.keys() + " in one script; from now on they are taken one by one", fault));
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
			case 5 -> throw notUnderstood(this.keys.all(damaged(reply)).get(1), ScriptReplies.text(reply.get(1)));
			case 6 -> throw new GroupMetException();
			case 7 -> throw new LockUnavailableException(
					"A part of the leases on " + this.target.keys() + " was lost before the answer came");
			case 8 -> throw notUnderstood((byte[]) reply.get(1), "of another type");
			default -> throw new IllegalStateException("The script " + RedisScripts.ACQUIRE + " returned " + kind);
		};
	}

	/**
	 * Return the key whose counter is not understood.
	 */
	private String damaged(List<Object> reply) {
		List<String> all = this.target.keys();
		return (all.size() > 1) ? all.get((int) ScriptReplies.number(reply.get(2)) - 1) : this.target.key();
	}

	private static NotSentException notUnderstood(byte[] name, String found) {
		return new NotSentException(RedisFaults.notUnderstood(name, found), null);
	}

	private AttemptOutcome granted(LeaseRequest request, List<Object> reply, long sentAt) {
		List<String> all = this.target.keys();
		LockUnavailableException missing = this.replicas
			.judge((all.size() == 1) ? "the lock on '" + this.target.key() + "'" : "the locks on " + all, reply);
		if (missing != null) {
			throw missing;
		}
		this.waiter.leave();
		long validUntil = LockClock.validUntil(sentAt, request.ttl());
		return new AttemptOutcome.Granted(
				(all.size() == 1) ? new LeaseGrant(this.target, request.ownerId(), tokens(reply, 0), validUntil)
						: new LeaseGrant(this.target, request.ownerId(),
								IntStream.range(0, all.size()).mapToObj((i) -> tokens(reply, i)).toList(), validUntil));
	}

	private static TokenRange tokens(List<Object> reply, int index) {
		return new TokenRange(ScriptReplies.number(reply.get(2 * index + 1)),
				(int) ScriptReplies.number(reply.get(2 * index + 2)));
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
	 * Open the doors if this contender has closed any. A grant opens it at the store.
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
