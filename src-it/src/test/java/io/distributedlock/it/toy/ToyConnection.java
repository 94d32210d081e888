package io.distributedlock.it.toy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.notification.SubscriptionChecks;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Sends requests to the toy store over one link, and over a new one when that has ended.
 * A further link carries the notifications of releases.
 */
final class ToyConnection implements BackendConnection {

	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

	private static final int WORDS_OF_A_LOCK = 5;

	private final ToySettings settings;

	private final ReleaseNotifications notifications;

	// Both are guarded by the monitor of this connection.
	private ToyLink link;

	private boolean closed;

	ToyConnection(ToySettings settings) {
		this.settings = settings;
		this.link = newLink();
		this.notifications = new ReleaseNotifications(this::subscribe,
				new SubscriptionChecks(CHECK_INTERVAL, settings.callTimeout()), settings.clock());
	}

	private ToyLink newLink() {
		return new ToyLink(this.settings, (name) -> {
		});
	}

	ToySettings settings() {
		return this.settings;
	}

	CompletableFuture<ToyAnswer> ask(Duration timeout, Object... words) {
		ToyLink used = link();
		// The link may have ended meanwhile.
		return used.ask(timeout, words).or(() -> link().ask(timeout, words)).orElseGet(used::ended);
	}

	private CompletableFuture<ToyAnswer> call(Object... words) {
		return ask(this.settings.callTimeout(), words);
	}

	private synchronized ToyLink link() {
		if (!this.link.isOpen() && !this.closed) {
			this.link = newLink();
		}
		return this.link;
	}

	String name(String key) {
		return this.settings.prefix().name(key);
	}

	// Use a separate link, so that its end is that of the subscription.
	private CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		ToyLink own = new ToyLink(this.settings, listener::released);
		return own.check().<ReleaseSubscription>thenApply((confirmed) -> {
			own.end().thenRun(listener::ended);
			return own;
		}).whenComplete((subscription, fault) -> {
			if (fault != null) {
				own.close();
			}
		});
	}

	@Override
	public BackendTraits traits() {
		return ToyLockBackend.TRAITS;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(ToyLockBackend.NAME);
		return new ToyContender(this, target, this.notifications.waiter(name(target.key()), wakeUp));
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.notifications.awaitReliable(this.settings.callTimeout(),
				(refusals) -> new LockUnavailableException(this.settings.store() + " confirmed no subscription"));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return ManyAnswers.join(renewals.stream().map(this::renew));
	}

	private CompletableFuture<RenewalOutcome> renew(Renewal renewal) {
		LeaseGrant grant = renewal.grant();
		Duration ttl = renewal.ttl();
		return ask(renewalTimeout(ttl), "RENEW", name(grant.target().key()), grant.ownerId().value(),
				grant.token().first(), ttl.toNanos())
			.<RenewalOutcome>thenApply(
					(answer) -> answer.isTrue() ? new RenewalOutcome.Renewed(LockClock.validUntil(answer.sentAt(), ttl))
							: new RenewalOutcome.Lost())
			.exceptionally((fault) -> new RenewalOutcome.Unknown(CompletionCauses.unwrap(fault)));
	}

	/**
	 * Return how long a renewal may take. The next one follows only after it has ended,
	 * and needs time before the lease runs out.
	 */
	private Duration renewalTimeout(Duration ttl) {
		Duration callTimeout = this.settings.callTimeout();
		return (ttl.isZero() || ttl.dividedBy(3).compareTo(callTimeout) > 0) ? callTimeout : ttl.dividedBy(3);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call("RELEASE", name(grant.target().key()), grant.ownerId().value(), grant.token().first(),
				cooldown.toNanos())
			.thenApply(ToyAnswer::isTrue);
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return ManyAnswers
			.join(orphans.stream()
				.map((orphan) -> call("ABANDON", name(orphan.target().key()), orphan.ownerId().value())))
			.thenAccept((answers) -> {
			});
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return call("FIND", name(key)).thenApply((answer) -> locks(answer).stream().findFirst());
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return call("LIST", this.settings.prefix()).thenApply((answer) -> LockPage.of(locks(answer), next, limit));
	}

	private List<LockInfo> locks(ToyAnswer answer) {
		ToyMessage message = answer.message();
		List<LockInfo> locks = new ArrayList<>();
		for (int i = 0; i < message.words().size(); i += WORDS_OF_A_LOCK) {
			locks.add(new LockInfo(this.settings.prefix().key(message.text(i)).orElseThrow(), message.text(i + 1),
					LockMode.EXCLUSIVE, message.integer(i + 2), Duration.ofNanos(message.integer(i + 3)),
					Duration.ofNanos(message.integer(i + 4))));
		}
		return locks;
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call("FORCE", name(key), cooldown.toNanos()).thenApply(ToyAnswer::isTrue);
	}

	@Override
	public void close() {
		this.notifications.close();
		synchronized (this) {
			this.closed = true;
			this.link.close();
		}
	}

}
