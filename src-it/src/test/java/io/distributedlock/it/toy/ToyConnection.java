package io.distributedlock.it.toy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Asks a toy server for leases.
 */
final class ToyConnection implements BackendConnection {

	private static final int WORDS_OF_A_LOCK = 5;

	private final ToyWire wire;

	private final ToyLockBackend backend;

	private final ReleaseNotifications notifications;

	ToyConnection(ToyWire wire, ToyLockBackend backend) {
		this.wire = wire;
		this.backend = backend;
		this.notifications = new ReleaseNotifications(wire, null, backend.clock());
	}

	@Override
	public BackendTraits traits() {
		return ToyLockBackend.TRAITS;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(ToyLockBackend.NAME);
		String name = name(target);
		return new ToyContender(this.wire, target, name, this.notifications.waiter(name, wakeUp), this.backend);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.notifications.awaitReliable(this.backend.timeout(),
				(refusals) -> new LockUnavailableException("The toy server confirmed no subscription to releases"));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		long sentAt = this.backend.clock().nanoTime();
		List<String> words = words("renew");
		renewals.forEach((renewal) -> words.addAll(List.of(name(renewal.grant().target()),
				renewal.grant().ownerId().value(), first(renewal.grant()), nanos(renewal.ttl()))));
		return this.wire.send(words).result().thenApply((answers) -> {
			List<RenewalOutcome> outcomes = new ArrayList<>();
			for (int i = 0; i < renewals.size(); i++) {
				outcomes.add(isTrue(answers.get(i))
						? new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewals.get(i).ttl()))
						: new RenewalOutcome.Lost());
			}
			return outcomes;
		});
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return answer(words("release", name(grant.target()), grant.ownerId().value(), first(grant), nanos(cooldown)));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		List<String> words = words("abandon");
		orphans.forEach((orphan) -> words.addAll(List.of(name(orphan.target()), orphan.ownerId().value())));
		return this.wire.send(words).result().thenAccept((answers) -> {
		});
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return list().thenApply((locks) -> locks.stream().filter((lock) -> lock.key().equals(key)).findFirst());
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return this.wire.send(words("list", this.backend.prefix().toString())).result().thenApply((words) -> {
			List<LockInfo> locks = new ArrayList<>();
			for (int i = 0; i < words.size(); i += WORDS_OF_A_LOCK) {
				locks.add(lock(words.subList(i, i + WORDS_OF_A_LOCK)));
			}
			return locks;
		});
	}

	private LockInfo lock(List<String> words) {
		return new LockInfo(this.backend.prefix().key(words.get(0)).orElseThrow(), words.get(1), LockMode.EXCLUSIVE,
				Long.parseLong(words.get(2)), duration(words.get(3)), duration(words.get(4)));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return answer(words("force", this.backend.prefix().name(key), nanos(cooldown)));
	}

	/**
	 * Requests are sent once, so that what was not found was not there.
	 */
	private CompletionStage<Boolean> answer(List<String> words) {
		return this.wire.send(words).result().thenApply((answers) -> isTrue(answers.get(0)));
	}

	@Override
	public void close() {
		this.notifications.close();
		this.wire.close();
	}

	private String name(LockTarget target) {
		return this.backend.prefix().name(target.key());
	}

	private static List<String> words(String... words) {
		return new ArrayList<>(Stream.of(words).toList());
	}

	private static String first(LeaseGrant grant) {
		return String.valueOf(grant.token().first());
	}

	static String nanos(Duration duration) {
		return String.valueOf(duration.toNanos());
	}

	static Duration duration(String nanos) {
		return Duration.ofNanos(Long.parseLong(nanos));
	}

	private static boolean isTrue(String answer) {
		return Boolean.parseBoolean(answer);
	}

}
