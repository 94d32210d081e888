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

	private LeaseGrant take(String what, LockTarget target, Duration ttl, Instant tick) {
		Contender contender = this.store.contend(target, () -> {
		});
		AttemptOutcome outcome = attempt(what, contender, ttl, tick);
		contender.withdraw();
		return (outcome instanceof AttemptOutcome.Granted granted) ? granted.grant() : null;
	}

	private AttemptOutcome attempt(String what, Contender contender, Duration ttl, Instant tick) {
		AttemptOutcome outcome = answer(what, contender
			.attempt(new LeaseRequest(OwnerId.random(), ttl, 1, tick, tick == null, TIMEOUT, Duration.ZERO)));
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
