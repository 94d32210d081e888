package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

/**
 * Connects to a Redis. Creates and closes the parts of the connection, and releases
 * locks.
 */
final class RedisStoreConnection implements BackendConnection {

	private static final Logger logger = LoggerFactory.getLogger(RedisStoreConnection.class);

	/**
	 * Number of threads for attempts. A pool has eight connections by default: one for
	 * each of these threads, two for renewals and releases, and one for the subscription.
	 */
	private static final int WORKERS = 5;

	private final RedisConnectionFactory factory;

	private final RedisLockSettings settings;

	private final LockClock clock;

	// Run the calls of a driver that blocks.
	private final ExecutorService workers = StoreThreads.named("lock-redis", WORKERS);

	private final RedisRequests requests;

	private final RedisLink link;

	private final LeaseCommands commands;

	private final ScriptFaults faults;

	private final RedisNotifications notifications;

	private final ReplicaAcknowledgements replicas;

	private final EvictionPolicyCheck evictionPolicy;

	private final KeySlots slots;

	private final RedisRenewals renewals;

	private final RedisInspection inspection;

	private final BackendListener listener;

	private final AtomicBoolean warned = new AtomicBoolean();

	RedisStoreConnection(RedisConnectionFactory factory, RedisLinkFactory links, RedisLockSettings settings,
			LockClock clock, BackendListener listener) {
		this.factory = factory;
		this.settings = settings;
		this.clock = clock;
		this.listener = listener;
		this.requests = new RedisRequests(settings);
		this.link = links.open(factory, settings, this.workers, clock);
		this.commands = settings.failoverQuarantine()
				? new QuarantinedLeaseCommands(this.link, this.requests, settings, clock, listener)
				: new PlainLeaseCommands(this.link, this.requests);
		this.faults = ScriptFaults.of(factory, settings);
		this.notifications = new RedisNotifications(this.link, this.requests, this.faults, clock);
		// If the driver reports its connections, a quarantine begins, and ends, even
		// before a lock is requested.
		this.link.open(this.commands::ready, this.notifications::reconnect);
		this.replicas = new ReplicaAcknowledgements(settings.minReplicaAcks(), settings.replicaAcks());
		this.evictionPolicy = new EvictionPolicyCheck(this.link, this.requests);
		this.slots = new KeySlots(this.link, this.requests.keys());
		this.renewals = new RedisRenewals(this.link, this.requests, this.commands, this.replicas, this.slots, clock,
				listener);
		this.inspection = new RedisInspection(this.link, this.requests, this.commands, this.evictionPolicy, clock);
	}

	/**
	 * Return the capabilities of the server. Fencing tokens are missing if it reports
	 * that it evicts keys when its memory is full, which is known after its first answer.
	 */
	@Override
	public BackendTraits traits() {
		return RedisLockBackend.traits(!this.evictionPolicy.evictsKeys(), this.settings);
	}

	/**
	 * Keys are taken at once if one script may use them all.
	 */
	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return this.slots.areTogether(target.keys()) ? SeveralKeys.AT_ONCE : SeveralKeys.ONE_BY_ONE;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		this.slots.requireTogether(target);
		List<String> names = (target.keys().size() == 1) ? List.of(lock(target.key()))
				: target.keys().stream().map(this::lock).toList();
		ReleaseWaiter waiter = this.notifications.waiter(names, wakeUp);
		return new RedisContender(target, this.commands, this.requests.keys(), this.replicas, waiter, this.slots,
				(name) -> openDoors(target, name), this.clock);
	}

	private String lock(String key) {
		return new String(this.requests.keys().lock(key), StandardCharsets.UTF_8);
	}

	/**
	 * Open the doors that a waiter has closed. If this fails, they open by themselves
	 * soon.
	 */
	private void openDoors(LockTarget target, String waiter) {
		this.link.runAll(target.keys().stream().map((key) -> this.requests.groups().openDoor(key, waiter)).toList(),
				this.settings.callTimeout());
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.notifications.wakeWaiters();
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.renewals.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return release(grant, cooldown, Duration.ZERO);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		if (grant.target().keys().size() == 1) {
			return release(grant, grant, cooldown, patience);
		}
		// Scripts that no thread waits for are sent together.
		return ManyAnswers
			.join(KeyLeases.of(grant).stream().map((part) -> release(part, grant, cooldown, Duration.ZERO)))
			.thenApply((released) -> !released.contains(false));
	}

	/**
	 * Release a lease on one key.
	 * @param whole the lease that it is a part of, or the same lease
	 */
	private CompletionStage<Boolean> release(LeaseGrant grant, LeaseGrant whole, Duration cooldown, Duration patience) {
		long interruptions = this.link.interruptions();
		return this.commands.release(grant, cooldown, patience, this.settings.callTimeout()).thenApply((reply) -> {
			int error = grant.target().isGroup() ? 2 : 1;
			warnIfUnnotified(reply, error);
			if (grant.target().isGroup()) {
				reportClosedDoor(whole, reply);
			}
			return found(reply, interruptions, "released", grant.target().key());
		});
	}

	/**
	 * Warn once that waiters are not notified of releases. The locks are released
	 * nevertheless.
	 * @param reply the reply
	 * @param error the place of the error, if there is one
	 */
	private void warnIfUnnotified(List<Object> reply, int error) {
		if (reply.size() > error && !this.warned.getAndSet(true)) {
			logger.warn("Locks in Redis are released, but their waiters are not notified: {}",
					this.faults.unnotified(ScriptReplies.text(reply.get(error))).getMessage());
		}
	}

	private void reportClosedDoor(LeaseGrant grant, List<Object> reply) {
		long closedMillis = (reply.size() > 1) ? ScriptReplies.number(reply.get(1)) : 0;
		if (closedMillis > 0) {
			this.listener.contended(grant, DoorToClose.untilNextAttempt(closedMillis));
		}
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		long interruptions = this.link.interruptions();
		return this.link.run(this.requests.forceRelease(key, cooldown), this.settings.callTimeout())
			.thenApply((reply) -> found(reply, interruptions, "taken away", key));
	}

	/**
	 * Return whether the script found the lock. A script that the driver has sent again
	 * can't distinguish its own success from a loss.
	 */
	private boolean found(List<Object> reply, long interruptionsBefore, String done, String key) {
		boolean found = ScriptReplies.number(reply.get(0)) == 1;
		if (!found && this.link.interruptions() != interruptionsBefore) {
			throw new RepeatedRequestException("the Redis of the locks", done, key);
		}
		return found;
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		if (orphans.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		List<ScriptCall> calls = orphans.stream()
			.flatMap((orphan) -> KeyLeases.of(orphan).stream())
			.map(this.requests::abandon)
			.toList();
		return ManyAnswers.join(this.link.releaseAll(calls, this.settings.callTimeout()).stream()).thenRun(() -> {
		});
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.inspection.find(key);
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return this.inspection.list(next, limit);
	}

	/**
	 * Return the server if it can be under quarantine. It is shown as up unless it is
	 * known to grant no locks.
	 */
	@Override
	public List<NodeStatus> nodes() {
		if (!this.settings.failoverQuarantine()) {
			return List.of();
		}
		String address = RedisFactoryDetails.address(this.factory);
		Duration rest = this.commands.quarantine();
		return List.of(new NodeStatus((address != null) ? address : RedisLockBackend.NAME,
				(rest != null) ? NodeStatus.State.QUARANTINED : NodeStatus.State.UP, rest));
	}

	@Override
	public void close() {
		Duration timeout = this.settings.callTimeout();
		this.notifications.close(timeout);
		this.commands.close();
		this.link.close();
		this.workers.shutdown();
		StoreThreads.awaitEnd(this.workers, timeout);
	}

}
