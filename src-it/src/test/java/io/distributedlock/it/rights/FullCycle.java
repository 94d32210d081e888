package io.distributedlock.it.rights;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import org.awaitility.Awaitility;
import org.springframework.context.ApplicationContext;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.engine.EngineConnection;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All operations of an application on the store of its locks, as the user of its
 * connection.
 */
public final class FullCycle {

	private static final Duration TTL = Duration.ofSeconds(60);

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final BackendConnection store;

	private final String key = "rights:" + OwnerId.random().value().substring(0, 12);

	private final LockTarget target = LockTarget.exclusive(this.key);

	private final Map<String, Throwable> failures = new LinkedHashMap<>();

	private FullCycle(BackendConnection store) {
		this.store = store;
	}

	/**
	 * Run all operations, and require that the store allows them.
	 * @param context the application, which has started
	 */
	public static void run(ApplicationContext context) {
		assertThat(failures(context)).isEmpty();
	}

	/**
	 * Run all operations, and continue if one is refused.
	 * @param context the application
	 * @return the failures by operation
	 */
	public static Map<String, Throwable> failures(ApplicationContext context) {
		FullCycle cycle = new FullCycle(EngineConnection.of(context.getBean(LockEngine.class)));
		cycle.lease();
		cycle.minimumHold();
		cycle.tick();
		cycle.forcedRelease();
		return cycle.failures;
	}

	/**
	 * Run all operations on groups, and require that the store allows them.
	 * @param context the application, which has started
	 */
	public static void runGroups(ApplicationContext context) {
		FullCycle cycle = new FullCycle(EngineConnection.of(context.getBean(LockEngine.class)));
		cycle.group(LockMode.SHARED, 0);
		cycle.group(LockMode.PERMITS, 2);
		assertThat(cycle.failures).isEmpty();
	}

	/**
	 * Run all operations on a lease of several keys, and require that the store allows
	 * them. Without effect if the store takes the keys one by one.
	 * @param context the application, which has started
	 */
	public static void runSeveralKeys(ApplicationContext context) {
		FullCycle cycle = new FullCycle(EngineConnection.of(context.getBean(LockEngine.class)));
		cycle.severalKeys();
		assertThat(cycle.failures).isEmpty();
	}

	private void lease() {
		// Shorter than the time that the renewal requests, because otherwise the renewal
		// has no effect.
		LeaseGrant grant = take("attempt", this.target, TTL.dividedBy(2), null);
		if (grant == null) {
			return;
		}
		Semaphore wakeUps = new Semaphore(0);
		Contender waiter = this.store.contend(this.target, wakeUps::release);
		attempt("attempt to wait", waiter, TTL, null);
		boolean woken = Boolean.TRUE.equals(answer("wakesContenders", this.store.wakesContenders(this.target)));
		wakeUps.drainPermits();
		check("find", () -> join(this.store.find(this.key)).isPresent());
		check("list", () -> join(ListedLocks.all(this.store)).stream().map(LockInfo::key).anyMatch(this.key::equals));
		check("renew", () -> {
			RenewalOutcome outcome = join(this.store.renew(List.of(new Renewal(grant, TTL)))).get(0);
			if (outcome instanceof RenewalOutcome.Unknown unknown) {
				throw new CompletionException(unknown.cause());
			}
			return outcome instanceof RenewalOutcome.Renewed;
		});
		check("release", () -> join(this.store.release(grant, Duration.ZERO)));
		if (woken && this.failures.isEmpty()) {
			check("wake-up", () -> acquired(wakeUps));
		}
		waiter.withdraw();
		answer("abandon", this.store.abandon(List.of(new Orphan(this.target, OwnerId.random()))));
	}

	private void minimumHold() {
		LockTarget held = LockTarget.exclusive(this.key + ":hold");
		LeaseGrant grant = take("attempt", held, TTL, null);
		if (grant != null) {
			check("minimum hold", () -> join(this.store.release(grant, Duration.ofMillis(200))));
			Awaitility.await().atMost(TIMEOUT).until(() -> {
				LeaseGrant next = take("attempt after a minimum hold", held, TTL, null);
				return next != null && Boolean.TRUE.equals(answer("release", this.store.release(next, Duration.ZERO)))
						|| !this.failures.isEmpty();
			});
		}
	}

	private void tick() {
		LockTarget ticking = LockTarget.exclusive(this.key + ":tick");
		Instant tick = Instant.parse("2026-01-01T00:00:00Z");
		LeaseGrant grant = take("tick", ticking, TTL, tick);
		if (grant != null) {
			answer("release of a tick", this.store.release(grant, Duration.ZERO));
			Contender second = this.store.contend(ticking, () -> {
			});
			AttemptOutcome outcome = attempt("second attempt of a tick", second, TTL, tick);
			second.withdraw();
			check("second attempt of a tick",
					() -> outcome instanceof AttemptOutcome.Done || outcome instanceof AttemptOutcome.Unavailable);
		}
	}

	private void forcedRelease() {
		LockTarget forced = LockTarget.exclusive(this.key + ":forced");
		LeaseGrant grant = take("attempt", forced, TTL, null);
		if (grant != null) {
			check("forceRelease", () -> join(this.store.forceRelease(forced.key(), Duration.ofMillis(100))));
		}
	}

	/**
	 * Let two members enter that keep a writer out, and end them in different ways.
	 */
	private void group(LockMode mode, int permits) {
		LockTarget group = LockTarget.of(this.key + ":" + mode, mode);
		LeaseGrant first = member(group, permits);
		LeaseGrant second = member(group, permits);
		if (first == null || second == null) {
			return;
		}
		Semaphore wakeUps = new Semaphore(0);
		Contender writer = this.store.contend(LockTarget.exclusive(group.key()), wakeUps::release);
		attempt("attempt to wait for " + mode, writer, TTL, null);
		Contender last = this.store.contend(group, () -> {
		});
		answer("attempt to wait with " + mode, last.attempt(request(TTL, permits, null)));
		last.withdraw();
		check("find " + mode, () -> join(this.store.find(group.key())).isPresent());
		check("list " + mode,
				() -> join(ListedLocks.all(this.store)).stream()
					.filter((lock) -> lock.key().equals(group.key()))
					.count() == 2);
		check("renew " + mode, () -> join(this.store.renew(List.of(new Renewal(first, TTL))))
			.get(0) instanceof RenewalOutcome.Renewed);
		answer("abandon " + mode, this.store.abandon(List.of(new Orphan(group, OwnerId.random()))));
		check("minimum hold of " + mode, () -> join(this.store.release(second, Duration.ofMillis(200))));
		check("release of " + mode, () -> join(this.store.release(first, Duration.ZERO)));
		if (this.failures.isEmpty()) {
			Awaitility.await("the end of the minimum hold of " + mode)
				.atMost(TIMEOUT)
				.until(() -> attempt("attempt after " + mode, writer, TTL,
						null) instanceof AttemptOutcome.Granted granted
						&& join(this.store.release(granted.grant(), Duration.ZERO)) || !this.failures.isEmpty());
		}
		writer.withdraw();
		if (member(group, permits) != null) {
			check("forceRelease of " + mode, () -> join(this.store.forceRelease(group.key(), Duration.ofMillis(100))));
		}
	}

	private void severalKeys() {
		LockTarget several = new LockTarget(List.of(this.key + ":1", this.key + ":2"), LockMode.EXCLUSIVE);
		if (this.store.severalKeys(several) == SeveralKeys.ONE_BY_ONE) {
			return;
		}
		LeaseGrant grant = take("attempt on several keys", several, TTL.dividedBy(2), null);
		if (grant == null) {
			return;
		}
		Contender waiter = this.store.contend(several, () -> {
		});
		attempt("attempt to wait for several keys", waiter, TTL, null);
		waiter.withdraw();
		take("try on several keys", several, TTL, null);
		check("renew several keys", () -> join(this.store.renew(List.of(new Renewal(grant, TTL))))
			.get(0) instanceof RenewalOutcome.Renewed);
		check("release of several keys", () -> join(this.store.release(grant, Duration.ofMillis(1))));
		answer("abandon several keys", this.store.abandon(List.of(new Orphan(several, OwnerId.random()))));
	}

	private LeaseGrant member(LockTarget group, int permits) {
		Contender contender = this.store.contend(group, () -> {
		});
		AttemptOutcome outcome = answer("attempt with " + group.mode(),
				contender.attempt(request(TTL.dividedBy(2), permits, null)));
		contender.withdraw();
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			this.failures.putIfAbsent("attempt with " + group.mode(), unavailable.cause());
		}
		return (outcome instanceof AttemptOutcome.Granted granted) ? granted.grant() : null;
	}

	private static LeaseRequest request(Duration ttl, int permits, Instant tick) {
		return new LeaseRequest(OwnerId.random(), ttl, 1, permits, tick, tick == null, TIMEOUT, Duration.ZERO);
	}

	private LeaseGrant take(String what, LockTarget target, Duration ttl, Instant tick) {
		Contender contender = this.store.contend(target, () -> {
		});
		AttemptOutcome outcome = attempt(what, contender, ttl, tick);
		contender.withdraw();
		return (outcome instanceof AttemptOutcome.Granted granted) ? granted.grant() : null;
	}

	private AttemptOutcome attempt(String what, Contender contender, Duration ttl, Instant tick) {
		AttemptOutcome outcome = answer(what, contender.attempt(request(ttl, 0, tick)));
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			this.failures.putIfAbsent(what, unavailable.cause());
		}
		return outcome;
	}

	private void check(String what, BooleanSupplier step) {
		try {
			if (!step.getAsBoolean()) {
				this.failures.putIfAbsent(what, new AssertionError("'" + what + "' had no effect"));
			}
		}
		catch (RuntimeException ex) {
			this.failures.putIfAbsent(what, causeOf(ex));
		}
	}

	private <T> T answer(String what, CompletionStage<T> stage) {
		try {
			return join(stage);
		}
		catch (RuntimeException ex) {
			this.failures.putIfAbsent(what, causeOf(ex));
			return null;
		}
	}

	private static boolean acquired(Semaphore wakeUps) {
		try {
			return wakeUps.tryAcquire(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
	}

	private static Throwable causeOf(Throwable fault) {
		boolean wrapped = fault instanceof CompletionException && fault.getCause() != null
				&& !(fault.getCause() instanceof TimeoutException);
		return wrapped ? fault.getCause() : fault;
	}

}
