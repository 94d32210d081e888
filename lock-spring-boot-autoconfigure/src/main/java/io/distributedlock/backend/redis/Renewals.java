package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.LeaseRenewals;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases: a script for many, sent together; in a Cluster one for each, since their
 * keys live on different servers. What fails fails alone.
 */
final class Renewals implements LeaseRenewals {

	/**
	 * How many leases one script renews: the server answers nobody else meanwhile.
	 */
	private static final int CHUNK = 100;

	private final RedisLink link;

	private final Scripts scripts;

	private final Duration callTimeout;

	private final LockClock clock;

	Renewals(RedisLink link, Scripts scripts, Duration callTimeout, LockClock clock) {
		this.link = link;
		this.scripts = scripts;
		this.callTimeout = callTimeout;
		this.clock = clock;
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		if (renewals.isEmpty()) {
			return CompletableFuture.completedStage(List.of());
		}
		List<List<Renewal>> chunks = chunks(renewals, this.link.isCluster() ? 1 : CHUNK);
		long sentAt = this.clock.nanoTime();
		List<CompletionStage<List<Object>>> sent = this.link.runAll(chunks.stream().map(this.scripts::renew).toList(),
				this.callTimeout);
		CompletionStage<List<RenewalOutcome>> all = CompletableFuture.completedStage(new ArrayList<>(renewals.size()));
		for (int i = 0; i < chunks.size(); i++) {
			List<Renewal> chunk = chunks.get(i);
			CompletionStage<List<RenewalOutcome>> outcomes = sent.get(i)
				.handle((reply, fault) -> (fault != null) ? unknown(chunk, fault) : outcomes(chunk, reply, sentAt));
			all = all.thenCombine(outcomes, (before, next) -> {
				before.addAll(next);
				return before;
			});
		}
		return all;
	}

	private static List<List<Renewal>> chunks(List<Renewal> renewals, int size) {
		List<List<Renewal>> chunks = new ArrayList<>();
		for (int from = 0; from < renewals.size(); from += size) {
			chunks.add(renewals.subList(from, Math.min(from + size, renewals.size())));
		}
		return chunks;
	}

	private static List<RenewalOutcome> unknown(List<Renewal> chunk, Throwable fault) {
		return chunk.stream().<RenewalOutcome>map((renewal) -> new RenewalOutcome.Unknown(fault)).toList();
	}

	private static List<RenewalOutcome> outcomes(List<Renewal> chunk, List<Object> reply, long sentAt) {
		List<RenewalOutcome> outcomes = new ArrayList<>(chunk.size());
		for (int i = 0; i < chunk.size(); i++) {
			Duration ttl = chunk.get(i).ttl();
			RenewalOutcome outcome = switch ((int) Replies.number(reply.get(i))) {
				case 1 -> new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, ttl));
				case 2 -> new RenewalOutcome.Unknown(
						new LockUnavailableException("The Redis of the locks may have forgotten the lease"));
				default -> new RenewalOutcome.Lost();
			};
			outcomes.add(outcome);
		}
		return outcomes;
	}

}
