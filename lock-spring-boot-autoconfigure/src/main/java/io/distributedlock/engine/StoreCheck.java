package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Checks whether a store supports all operations that locks need, on a key that no other
 * process uses. Data that the store keeps for that key, such as its last token, is
 * removed as for any other key.
 * <p>
 * Blocks the calling thread. Safe for use by several threads, whose checks run one after
 * the other.
 *
 * @since 0.1.0
 */
public final class StoreCheck {

	private static final Logger logger = LoggerFactory.getLogger(StoreCheck.class);

	private static final Duration LONG_ENOUGH_TTL = Duration.ofSeconds(10);

	private final LockEngine engine;

	private final LockTarget target = LockTarget.exclusive("lock-check:" + OwnerId.random().value());

	/**
	 * Create a check.
	 * @param engine the engine of the store
	 */
	public StoreCheck(LockEngine engine) {
		this.engine = engine;
	}

	/**
	 * Send the store a request that has no effect.
	 * @param timeout how long the store may take to answer
	 * @throws LockUnavailableException if the store does not answer as expected
	 * @throws LockRefusedException if the store refuses the request until an
	 * administrator changes the store
	 */
	public synchronized void connect(Duration timeout) {
		new Cycle(timeout).find();
	}

	/**
	 * Execute all operations that locks need: take a lock, contend for it, find its
	 * holder, renew it, release it, wake the contender, and give up an attempt.
	 * @param timeout how long the store may take for each of these
	 * @throws QuarantineException if the store answers, but does not grant leases for a
	 * while
	 * @throws LockUnavailableException if the store does not answer as expected; the
	 * message names the operation
	 * @throws LockRefusedException if the store refuses one of these until an
	 * administrator changes the store
	 */
	public synchronized void cycle(Duration timeout) {
		Cycle cycle = new Cycle(timeout);
		try {
			cycle.run();
		}
		finally {
			cycle.cleanUp();
		}
	}

	/**
	 * One cycle, on the thread of its caller.
	 */
	private final class Cycle {

		private final Duration timeout;

		private final BackendConnection connection = StoreCheck.this.engine.open();

		private final Duration ttl = ttl();

		private final CompletableFuture<Void> wokenUp = new CompletableFuture<>();

		private final List<Contender> contenders = new ArrayList<>();

		private final List<Orphan> orphans = new ArrayList<>();

		Cycle(Duration timeout) {
			this.timeout = timeout;
		}

		/**
		 * Return a TTL that outlasts a slow cycle, even if the application's TTL is
		 * short.
		 */
		private Duration ttl() {
			Duration ttl = StoreCheck.this.engine.settings().ttl();
			Duration longer = (ttl.compareTo(LONG_ENOUGH_TTL) < 0) ? LONG_ENOUGH_TTL : ttl;
			Duration most = this.connection.traits().maxTtl();
			return (most != null && most.compareTo(longer) < 0) ? most : longer;
		}

		void run() {
			LeaseGrant first = take("taking a lock", contender(() -> {
			}));
			Contender second = contender(() -> this.wokenUp.complete(null));
			wait(second);
			boolean woken = call("listening for releases", (store) -> store.wakesContenders(StoreCheck.this.target));
			find();
			renew(first);
			release("releasing a lock that another contender waits for", first);
			if (woken) {
				awaitWakeUp();
			}
			release("releasing a lock", take("taking a lock that was released", second));
			call("giving up an attempt",
					(store) -> store.abandon(List.of(new Orphan(StoreCheck.this.target, OwnerId.random())))
						.thenApply((done) -> true));
		}

		private Contender contender(Runnable wakeUp) {
			Contender contender = this.connection.contend(StoreCheck.this.target, wakeUp);
			this.contenders.add(contender);
			return contender;
		}

		private LeaseGrant take(String step, Contender contender) {
			long until = StoreCheck.this.engine.clock().nanoTime() + this.timeout.toNanos();
			while (true) {
				AttemptOutcome outcome = attempt(step, contender, false);
				if (outcome instanceof AttemptOutcome.Granted granted) {
					return granted.grant();
				}
				if (!(outcome instanceof AttemptOutcome.Busy busy)
						|| until - StoreCheck.this.engine.clock().nanoTime() <= 0) {
					throw failure(step, new IllegalStateException("it answered " + outcome));
				}
				pause(busy.pollAfter());
			}
		}

		private void wait(Contender contender) {
			String step = "asking for a lock that is taken";
			AttemptOutcome outcome = attempt(step, contender, true);
			if (!(outcome instanceof AttemptOutcome.Busy)) {
				throw failure(step, new IllegalStateException("it answered " + outcome));
			}
		}

		private AttemptOutcome attempt(String step, Contender contender, boolean waiting) {
			OwnerId ownerId = OwnerId.random();
			this.orphans.add(new Orphan(StoreCheck.this.target, ownerId));
			LeaseRequest request = new LeaseRequest(ownerId, this.ttl, 1, null, waiting, this.timeout, Duration.ZERO);
			AttemptOutcome outcome = call(step, (store) -> contender.attempt(request));
			if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
				throw failure(step, unavailable.cause());
			}
			return outcome;
		}

		private void renew(LeaseGrant grant) {
			String step = "renewing a lease";
			List<RenewalOutcome> outcomes = call(step, (store) -> store.renew(List.of(new Renewal(grant, this.ttl))));
			RenewalOutcome outcome = outcomes.get(0);
			if (outcome instanceof RenewalOutcome.Unknown unknown) {
				throw failure(step, unknown.cause());
			}
			if (outcome instanceof RenewalOutcome.Lost) {
				throw failure(step, new IllegalStateException("it has lost the lease"));
			}
		}

		private void release(String step, LeaseGrant grant) {
			boolean stood = call(step, (store) -> store.release(grant, Duration.ZERO));
			if (!stood) {
				throw failure(step, new IllegalStateException("it has lost the lease"));
			}
		}

		private void awaitWakeUp() {
			try {
				this.wokenUp.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				logger.warn("The backend {} received no notification of a release within {}; waiters only poll", name(),
						this.timeout);
			}
			catch (InterruptedException ex) {
				throw interrupted("waiting for the notification of a release");
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		}

		Optional<LockInfo> find() {
			return call("looking for the holder of a lock", (store) -> store.find(StoreCheck.this.target.key()));
		}

		private void pause(Duration length) {
			try {
				StoreCheck.this.engine.clock().sleep(length);
			}
			catch (InterruptedException ex) {
				throw interrupted("waiting for a lock");
			}
		}

		private <T> T call(String step, Function<BackendConnection, CompletionStage<T>> question) {
			try {
				return StoreCheck.this.engine.ask(question)
					.toCompletableFuture()
					.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				throw failure(step, new TimeoutException("no answer within " + this.timeout.toMillis() + " ms"));
			}
			catch (InterruptedException ex) {
				throw interrupted(step);
			}
			catch (ExecutionException ex) {
				throw failure(step, CompletionCauses.unwrap(ex));
			}
		}

		private LockException failure(String step, Throwable cause) {
			if (cause instanceof InvalidLockRequestException invalid) {
				return invalid;
			}
			String message = "It failed at " + step + ": " + cause.getMessage();
			if (cause instanceof QuarantineException quarantine) {
				return quarantine;
			}
			return (cause instanceof LockRefusedException) ? new LockRefusedException(message, cause)
					: new LockUnavailableException(message, cause);
		}

		private LockInterruptedException interrupted(String step) {
			Thread.currentThread().interrupt();
			return new LockInterruptedException(
					"The thread was interrupted at " + step + ", while it checked the backend " + name());
		}

		private String name() {
			return StoreCheck.this.engine.description();
		}

		/**
		 * Remove all data of the cycle, regardless of how it ended. Leases of unanswered
		 * requests expire after their TTL.
		 */
		void cleanUp() {
			try {
				this.contenders.forEach(Contender::withdraw);
				StoreCheck.this.engine.ask((store) -> store.abandon(this.orphans).thenApply((done) -> true))
					.whenComplete((done, failure) -> logUnclean(failure));
			}
			catch (RuntimeException ex) {
				// For example if the engine was stopped meanwhile.
				logUnclean(ex);
			}
		}

		private void logUnclean(@Nullable Throwable failure) {
			if (failure != null) {
				logger.debug("The check of the backend {} could not be cleaned up", name(), failure);
			}
		}

	}

}
