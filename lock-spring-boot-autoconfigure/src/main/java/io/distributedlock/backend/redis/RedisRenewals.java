package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases by scripts for many leases each, which are sent together. Members of
 * groups have scripts of their own. In a Cluster each lease has its own script, because
 * their keys are on different servers. A failure affects its own leases only. If the
 * server refuses a script for many leases, each of them is renewed by its own script in
 * the same call.
 */
final class RedisRenewals {

	/**
	 * Maximum number of leases that one script renews, because the server answers no
	 * other client meanwhile.
	 */
	private static final int CHUNK = 100;

	private final RedisRequests requests;

	private final LeaseCommands commands;

	private final ReplicaAcknowledgements replicas;

	private final KeySlots slots;

	private final MovingMembers moving;

	private final LockClock clock;

	private final BackendListener listener;

	RedisRenewals(RedisLink link, RedisRequests requests, LeaseCommands commands, ReplicaAcknowledgements replicas,
			KeySlots slots, LockClock clock, BackendListener listener) {
		this.requests = requests;
		this.commands = commands;
		this.replicas = replicas;
		this.slots = slots;
		this.moving = new MovingMembers(link, requests.groups());
		this.clock = clock;
		this.listener = listener;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		if (renewals.isEmpty()) {
			return CompletableFuture.completedStage(List.of());
		}
		KeyRenewals call = KeyRenewals.of(renewals, CallDeadline.in(this.requests.callTimeout(), this.clock));
		return renew(call).thenApply(call::outcomes);
	}

	private CompletionStage<List<RenewalOutcome>> renew(KeyRenewals call) {
		List<Renewal> renewals = call.each();
		List<Renewal> members = renewals.stream().filter(RedisRenewals::isOfMember).toList();
		if (members.isEmpty() || members.size() == renewals.size()) {
			return renewAlike(renewals, call);
		}
		List<Renewal> others = renewals.stream().filter((renewal) -> !isOfMember(renewal)).toList();
		return renewAlike(members, call).thenCombine(renewAlike(others, call), (ofMembers, ofOthers) -> {
			Iterator<RenewalOutcome> nextOfMembers = ofMembers.iterator();
			Iterator<RenewalOutcome> nextOfOthers = ofOthers.iterator();
			return renewals.stream()
				.map((renewal) -> isOfMember(renewal) ? nextOfMembers.next() : nextOfOthers.next())
				.toList();
		});
	}

	private static boolean isOfMember(Renewal renewal) {
		return renewal.grant().target().isGroup();
	}

	private CompletionStage<List<RenewalOutcome>> renewAlike(List<Renewal> renewals, KeyRenewals call) {
		return renew(ManyAnswers.chunks(renewals, this.slots.areTogether() ? CHUNK : 1), call);
	}

	private CompletionStage<List<RenewalOutcome>> renew(List<List<Renewal>> chunks, KeyRenewals call) {
		long sentAt = this.clock.nanoTime();
		Duration timeout = call.deadline().left();
		// A renewal of zero length only asks whether the lease stands. There is no write
		// for a replica to acknowledge.
		boolean writes = chunks.stream().flatMap(List::stream).anyMatch((renewal) -> !renewal.ttl().isZero());
		ScriptCall.Acks acks = writes ? this.requests.acks(timeout) : null;
		List<CompletionStage<List<Object>>> sent = this.commands.renew(batches(chunks, acks), timeout);
		CompletionStage<@Nullable LockUnavailableException> judgement = (acks != null)
				? sent.get(sent.size() - 1).handle(this::judge) : CompletableFuture.completedStage(null);
		return ManyAnswers
			.join(IntStream.range(0, chunks.size())
				.mapToObj((i) -> sent.get(i)
					.handle((reply, fault) -> (fault != null) ? failed(chunks.get(i), fault, call)
							: judgement.thenApply((missing) -> outcomes(chunks.get(i), reply, sentAt, missing, call)))
					.thenCompose(Function.identity())))
			.thenApply((outcomes) -> outcomes.stream().flatMap(List::stream).toList());
	}

	/**
	 * Return the batches that are sent together over one connection. The wait for
	 * replicas after the last script covers the writes of the earlier ones, too.
	 */
	private static List<RenewalBatch> batches(List<List<Renewal>> chunks, ScriptCall.@Nullable Acks acks) {
		int last = chunks.size() - 1;
		return IntStream.rangeClosed(0, last)
			.mapToObj((i) -> new RenewalBatch(chunks.get(i), (i == last) ? acks : null))
			.toList();
	}

	/**
	 * Renew each lease of a chunk by its own script if the server has refused the chunk.
	 * A server of a Cluster does so, and one that finds a value of another type under one
	 * of the names.
	 */
	private CompletionStage<List<RenewalOutcome>> failed(List<Renewal> chunk, Throwable fault, KeyRenewals call) {
		boolean again = this.slots.areFoundApart(fault) || RedisFaults.isRefusedAsAWhole(fault);
		if (chunk.size() > 1 && again && !call.deadline().isPassed()) {
			return renew(ManyAnswers.chunks(chunk, 1), call);
		}
		if (isOfMember(chunk.get(0)) && RedisFaults.isSlotMoving(fault) && !call.deadline().isPassed()) {
			return renewWhileSlotMoves(chunk.get(0), call);
		}
		return CompletableFuture.completedStage(unknown(chunk, fault));
	}

	private CompletionStage<List<RenewalOutcome>> renewWhileSlotMoves(Renewal renewal, KeyRenewals call) {
		long sentAt = this.clock.nanoTime();
		ScriptCall.Acks acks = renewal.ttl().isZero() ? null : this.requests.acks(call.deadline().left());
		List<Renewal> chunk = List.of(renewal);
		return this.moving.renew(renewal, acks, call.deadline()).thenApply((reply) -> {
			LockUnavailableException missing = (acks != null && reply.size() > 1) ? judge(reply, null) : null;
			return outcomes(chunk, reply, sentAt, missing, call);
		}).exceptionally((fault) -> unknown(chunk, fault));
	}

	private static List<RenewalOutcome> unknown(List<Renewal> chunk, Throwable fault) {
		RenewalOutcome outcome = new RenewalOutcome.Unknown(CompletionCauses.unwrap(fault));
		return Collections.nCopies(chunk.size(), outcome);
	}

	/**
	 * Judge all renewals that were sent together by the last reply, which ends with the
	 * number of replicas. Without that reply it is unknown whether they count.
	 */
	private @Nullable LockUnavailableException judge(@Nullable List<Object> reply, @Nullable Throwable fault) {
		if (reply == null) {
			return new LockUnavailableException("It is unknown whether replicas of the Redis of the locks have"
					+ " acknowledged renewed leases: " + ((fault != null) ? RedisFaults.reason(fault) : "no answer"),
					fault);
		}
		return this.replicas.judge("renewed leases", reply);
	}

	private List<RenewalOutcome> outcomes(List<Renewal> chunk, List<Object> reply, long sentAt,
			@Nullable LockUnavailableException missing, KeyRenewals call) {
		return IntStream.range(0, chunk.size())
			.mapToObj((i) -> outcome(chunk.get(i), ScriptReplies.number(reply.get(i)), sentAt, missing, call))
			.toList();
	}

	private RenewalOutcome outcome(Renewal renewal, long answer, long sentAt,
			@Nullable LockUnavailableException missing, KeyRenewals call) {
		if (answer < 0) {
			this.listener.contended(call.whole(renewal.grant()), DoorToClose.untilNextAttempt(-answer));
		}
		Duration ttl = renewal.ttl();
		return switch ((int) Math.max(answer, -1)) {
			case 1, -1 -> (missing != null && !ttl.isZero()) ? new RenewalOutcome.Unknown(missing)
					: new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, ttl));
			case 2 -> new RenewalOutcome.Unknown(
					new LockUnavailableException("The Redis of the locks may have forgotten the lease"));
			default -> new RenewalOutcome.Lost();
		};
	}

}
