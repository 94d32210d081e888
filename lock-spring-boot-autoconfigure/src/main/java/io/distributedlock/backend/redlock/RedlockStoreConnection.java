package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.backend.notification.SubscriptionChecks;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

/**
 * Holds the connections of one client to all nodes.
 */
final class RedlockStoreConnection implements BackendConnection {

	private final BackendTraits traits;

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final ReleaseNotifications notifications;

	private final RedlockRenewals renewals;

	private final RedlockReleases releases;

	private final RedlockInspection inspection;

	RedlockStoreConnection(NodeGroup nodes, BackendTraits traits, BackendListener listener) {
		this.traits = traits;
		this.nodes = nodes;
		this.outstanding = new OutstandingAttempts(nodes, listener);
		// A waiter may send no request for seconds, so only these checks detect that a
		// connection has fallen silent.
		Duration patience = SessionWatch.patience(nodes.settings().callTimeout());
		this.notifications = new ReleaseNotifications(nodes.links().stream().map(NodeReleases::new).toList(),
				nodes.quorum(), new SubscriptionChecks(patience.dividedBy(2), patience), nodes.clock(),
				nodes.random().source());
		this.renewals = new RedlockRenewals(nodes, this.outstanding, listener);
		this.releases = new RedlockReleases(nodes, this.outstanding, listener);
		this.inspection = new RedlockInspection(nodes);
		nodes.open();
	}

	@Override
	public BackendTraits traits() {
		return this.traits;
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return SeveralKeys.AT_ONCE;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return new RedlockContender(target, this.notifications.waiter(target.keys(), wakeUp), this.nodes,
				this.outstanding);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return whenReady(
				() -> this.notifications.awaitReliable(this.nodes.settings().callTimeout(), this::notNotified));
	}

	private LockUnavailableException notNotified(Map<Integer, LockRefusedException> refusals) {
		NodeFaults faults = new NodeFaults();
		refusals.forEach(faults::add);
		return this.nodes.unavailable("while subscribing to releases", faults);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> all) {
		return whenReady(() -> this.renewals.renew(all));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return whenReady(() -> this.releases.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return whenReady(() -> this.releases.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return whenReady(() -> this.inspection.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return whenReady(() -> this.inspection.list(next, limit));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return whenReady(() -> this.inspection.forceRelease(key, cooldown));
	}

	@Override
	public List<NodeStatus> nodes() {
		return this.nodes.links().stream().map(NodeLink::status).toList();
	}

	private <T> CompletionStage<T> whenReady(Supplier<CompletionStage<T>> call) {
		// The rest of the timeout is left for the call itself.
		return this.nodes.ready(this.nodes.settings().callTimeout().dividedBy(2)).thenCompose((ready) -> call.get());
	}

	/**
	 * End calls under way, and close the connections.
	 */
	@Override
	public void close() {
		this.notifications.close();
		this.outstanding.close();
		this.nodes.close();
	}

}
