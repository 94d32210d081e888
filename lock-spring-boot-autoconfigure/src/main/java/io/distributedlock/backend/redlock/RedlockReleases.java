package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Releases leases, and attempts with an unknown outcome, at all nodes. Nodes that can't
 * be reached are asked again later.
 */
final class RedlockReleases {

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final BackendListener listener;

	RedlockReleases(NodeGroup nodes, OutstandingAttempts outstanding, BackendListener listener) {
		this.nodes = nodes;
		this.outstanding = outstanding;
		this.listener = listener;
	}

	/**
	 * Release a lease.
	 * @return whether it stood at a majority; fails if no majority has answered
	 */
	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		AttemptRecord record = recordOf(grant.target(), grant.ownerId());
		if (!record.matches(grant.token())) {
			return CompletableFuture.completedStage(false);
		}
		long now = this.nodes.clock().nanoTime();
		record.coolDown(cooldown, now);
		record.end(true, now);
		return send(record, grant).result;
	}

	/**
	 * Make sure that no lease of these attempts stands.
	 * @return completed when a majority has answered for all of them
	 */
	CompletionStage<Void> abandon(List<Orphan> orphans) {
		List<CompletableFuture<Boolean>> all = new ArrayList<>();
		for (Orphan orphan : orphans) {
			AttemptRecord record = recordOf(orphan.target(), orphan.ownerId());
			record.end(false, this.nodes.clock().nanoTime());
			all.add(send(record, null).majority);
		}
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	private ReleaseCount send(AttemptRecord record, @Nullable LeaseGrant grant) {
		ReleaseCount count = new ReleaseCount(record, grant);
		count.send();
		return count;
	}

	private AttemptRecord recordOf(LockTarget target, OwnerId ownerId) {
		AttemptRecord known = this.outstanding.find(ownerId);
		return (known != null) ? known : new AttemptRecord(ownerId, target, this.nodes.settings().lockValue(ownerId),
				null, 0, this.nodes.size());
	}

	/**
	 * Counts the answers to one release.
	 */
	private final class ReleaseCount {

		private final AttemptRecord record;

		private final @Nullable LeaseGrant grant;

		private final CompletableFuture<Boolean> result = new CompletableFuture<>();

		private final CompletableFuture<Boolean> majority = new CompletableFuture<>();

		private final NodeFaults faults = new NodeFaults();

		// All below is guarded by the monitor.
		private final boolean[] answered;

		private int open;

		ReleaseCount(AttemptRecord record, @Nullable LeaseGrant grant) {
			this.record = record;
			this.grant = grant;
			this.answered = new boolean[RedlockReleases.this.nodes.size()];
			this.open = this.answered.length;
		}

		void send() {
			LockClock.Timeout timeout = RedlockReleases.this.nodes.clock()
				.schedule(RedlockReleases.this.nodes.settings().callTimeout(), this::end);
			this.record.lookUntilDone(this.result, this::look);
			this.result.whenComplete((stood, fault) -> {
				if (this.majority.isDone()) {
					timeout.cancel();
				}
			});
			for (NodeLink link : RedlockReleases.this.nodes.links()) {
				RedlockReleases.this.outstanding.release(this.record, link).whenComplete((answer, fault) -> {
					this.faults.add(link.index(), fault);
					answered(link, answer != null);
				});
			}
			this.record.releasesSent(RedlockReleases.this.nodes.clock().nanoTime());
		}

		private void answered(NodeLink link, boolean said) {
			synchronized (this) {
				this.open--;
				this.answered[link.index()] |= said;
			}
			look();
		}

		/**
		 * Count the answers to all releases of the lease. A node reports to only one of
		 * them that the lease stood there, and their answers may become known in another
		 * order.
		 */
		private void look() {
			int stood = 0;
			int gone = 0;
			boolean over;
			// Read first, so that an answer that becomes known later causes another look.
			boolean waits = this.record.isReleasing();
			synchronized (this) {
				for (int i = 0; i < this.answered.length; i++) {
					if (this.record.at(i).hasStood()) {
						stood++;
					}
					else if (this.answered[i]) {
						gone++;
					}
				}
				over = this.open == 0;
			}
			int quorum = RedlockReleases.this.nodes.quorum();
			if (stood + gone >= quorum) {
				this.majority.complete(true);
			}
			if (stood >= quorum) {
				report();
			}
			else if (gone > RedlockReleases.this.nodes.size() - quorum) {
				this.result.complete(false);
			}
			if (over && (!waits || stood + gone < quorum)) {
				end();
			}
		}

		/**
		 * Report that the lease stood, unless another release has reported it. A caller
		 * that has given up a release with an unknown outcome asks again. It must not
		 * receive then that the lease was lost.
		 */
		private void report() {
			if (this.grant != null && this.record.isContended() && !this.result.isDone()) {
				RedlockReleases.this.listener.contended(this.grant, Duration.ZERO);
			}
			this.result.complete(this.record.isReportedTo(this));
			if (this.result.isCompletedExceptionally()) {
				this.record.withdrawReport(this);
			}
		}

		private void end() {
			if (!this.result.isDone() || !this.majority.isDone()) {
				RuntimeException fault = RedlockReleases.this.nodes.unavailable("while releasing a lock", this.faults);
				this.result.completeExceptionally(fault);
				this.majority.completeExceptionally(fault);
			}
		}

	}

}
