package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;
import io.distributedlock.spi.LockListener;

/**
 * Acquires, renews and releases leases of one backend. No thread is parked inside it: an
 * acquisition is a future in the queue of its key, and blocking callers wait for theirs.
 * <p>
 * An engine starts by itself at its first use, refuses requests once it was stopped, and
 * can be started again.
 *
 * @since 0.1.0
 */
public final class LockEngine {

	private static final Logger logger = LoggerFactory.getLogger(LockEngine.class);

	private enum Phase {

		NEW, RUNNING, STOPPED

	}

	private final String name;

	private final LockBackend backend;

	private final EngineSettings settings;

	private final List<LockRequestCustomizer> customizers;

	private final EngineCore core;

	// Written under the monitor; read without it on the way of every request.
	private volatile Phase phase = Phase.NEW;

	/**
	 * Create an engine that has the name of its backend.
	 * @param backend the store
	 * @param settings what applies to requests that do not say otherwise
	 * @param clock the time
	 * @param listeners to be told what happens
	 * @param customizers change requests before they are sent, in this order
	 */
	public LockEngine(LockBackend backend, EngineSettings settings, LockClock clock, List<LockListener> listeners,
			List<LockRequestCustomizer> customizers) {
		this(backend.name(), backend, settings, clock, listeners, customizers);
	}

	/**
	 * Create an engine.
	 * @param name by which requests, listeners and errors know the store
	 * @param backend the store
	 * @param settings what applies to requests that do not say otherwise
	 * @param clock the time
	 * @param listeners to be told what happens
	 * @param customizers change requests before they are sent, in this order
	 */
	public LockEngine(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> listeners, List<LockRequestCustomizer> customizers) {
		this.name = name;
		this.backend = backend;
		this.settings = settings;
		this.customizers = List.copyOf(customizers);
		this.core = new EngineCore(name, backend, settings, clock, listeners);
	}

	/**
	 * Return the name by which requests, listeners and errors know the store.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the name of the store, in quotes, and its address if it is known, for
	 * messages.
	 * @return the text, as in {@code 'redis' at localhost:6379}
	 */
	public String description() {
		return this.core.description();
	}

	/**
	 * Return the store.
	 * @return the backend
	 */
	public LockBackend backend() {
		return this.backend;
	}

	/**
	 * Return what applies to requests that do not say otherwise.
	 * @return the settings
	 */
	public EngineSettings settings() {
		return this.settings;
	}

	/**
	 * Start, also again after a {@link #stop()}; does nothing while running.
	 */
	public synchronized void start() {
		if (this.phase != Phase.RUNNING) {
			this.core.calls().open(this.core);
			this.phase = Phase.RUNNING;
		}
	}

	LockClock clock() {
		return this.core.clock();
	}

	/**
	 * Ask the backend something about the locks that are held.
	 */
	<T> CompletionStage<T> ask(Function<BackendConnection, CompletionStage<T>> question) {
		open();
		return this.core.calls().call(question);
	}

	/**
	 * Take a key away from its holder, in this JVM or another.
	 */
	CompletionStage<Boolean> forceRelease(String key) {
		open();
		return this.core.forceRelease(key);
	}

	/**
	 * Return the leases that are held now.
	 */
	List<DefaultLease> held() {
		return this.core.renewals().leases().stream().filter(DefaultLease::isOpen).toList();
	}

	/**
	 * Refuse new requests, end the waiters, release the leases that are still held (their
	 * holders are told that they are lost), and close the backend once the store has
	 * answered, at the latest after the stop time-out.
	 */
	public synchronized void stop() {
		boolean running = this.phase == Phase.RUNNING;
		this.core.calls().stop();
		this.phase = Phase.STOPPED;
		if (!running) {
			return;
		}
		try {
			this.core.queues().forEach(this::endWaiters);
			List<DefaultLease> leases = this.core.renewals().leases();
			leases.forEach((lease) -> lease.lose(LossReason.STOPPED));
			awaitAnswers(leases);
			this.core.reaper().clear();
		}
		finally {
			this.core.calls().close();
		}
	}

	private void endWaiters(KeyQueue queue) {
		List<Waiter> waiters = queue.waiters();
		// All of them first, so that none moves up and attempts.
		waiters.forEach((waiter) -> waiter.fail(this.core.calls().stopped()));
		waiters.forEach(queue::forget);
	}

	private void awaitAnswers(List<DefaultLease> leases) {
		boolean interrupted = Thread.interrupted();
		// A lease that its holder is releasing now may not have called the store yet.
		CompletableFuture<?> released = CompletableFuture
			.allOf(leases.stream().map(DefaultLease::end).toArray(CompletableFuture[]::new));
		try {
			released.thenCompose((ended) -> this.core.calls().drained())
				.get(this.settings.stopTimeout().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("The backend {} has not answered all releases within {}; what is left runs out by its ttl",
					description(), this.settings.stopTimeout());
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return whether the engine takes requests and has its backend open.
	 * @return whether it is running
	 */
	public boolean isRunning() {
		return this.phase == Phase.RUNNING;
	}

	/**
	 * Return whether the engine refuses requests because it was stopped.
	 * @return whether it was stopped, and not started since
	 */
	boolean isStopped() {
		return this.phase == Phase.STOPPED;
	}

	/**
	 * Return whether all listeners have been told of everything so far.
	 */
	boolean areListenersIdle() {
		return this.core.listeners().areIdle();
	}

	/**
	 * Return whether nothing is left of any request: no waiter, no lease.
	 */
	boolean isIdle() {
		return this.core.queues().isEmpty() && this.core.renewals().leases().isEmpty();
	}

	/**
	 * Let the customizers change a request. The other methods take it as it is to be
	 * sent.
	 */
	LockRequest customize(LockRequest request) {
		LockRequest customized = request;
		for (LockRequestCustomizer customizer : this.customizers) {
			customized = customizer.customize(customized);
		}
		return customized;
	}

	/**
	 * Acquire a lease and block until it is there. One of which too little is left when
	 * this thread has woken up is no lease, and the rest of the wait time is used for
	 * another.
	 */
	DefaultLease acquire(LockRequest request, Duration defaultWaitTime) {
		if (Thread.currentThread().isInterrupted()) {
			throw interrupted(request);
		}
		Waiter waiter = enqueue(request, defaultWaitTime, true);
		DefaultLease lease = await(waiter);
		while (!lease.canBegin()) {
			lease.end();
			Duration left = waiter.timeLeft(this.core.clock().nanoTime());
			if (!waiter.request().canBeGrantedAgain() || left.isNegative() || left.isZero()) {
				throw ranOut(waiter);
			}
			lease = await(enqueue(request.waitTime(left), left, true));
		}
		return lease;
	}

	private DefaultLease await(Waiter waiter) {
		try {
			return awaitDecision(waiter);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockInterruptedException interruption = interrupted(waiter.request().lockRequest());
			if (!giveUp(waiter, interruption)) {
				// Too late, it is decided already; whatever it is, this thread takes no
				// lease.
				disown(waiter);
			}
			throw interruption;
		}
		catch (ExecutionException ex) {
			throw failure(CompletionCauses.unwrap(ex));
		}
		catch (Throwable ex) {
			disown(waiter);
			throw ex;
		}
	}

	/**
	 * Wait until it is decided how an acquisition ends. The thread looks at the time
	 * itself, so that it does not depend on the timer, which may be late on a machine
	 * with too much to do.
	 */
	private DefaultLease awaitDecision(Waiter waiter) throws InterruptedException, ExecutionException {
		Duration next = firstLook(waiter);
		while (true) {
			try {
				return waiter.future().get(Math.max(1, next.toMillis() + 1), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				Duration left = this.core.timeOut(waiter);
				next = (left != null) ? left : waiter.request().overtime();
			}
		}
	}

	/**
	 * Release the lease that a waiter has got or is about to get: its caller has gone.
	 */
	private static void disown(Waiter waiter) {
		waiter.future().whenComplete((lease, failure) -> {
			if (lease != null) {
				lease.disown();
				lease.end();
			}
		});
	}

	/**
	 * Acquire a lease without blocking. Cancelling the returned future ends the wait.
	 */
	CompletableFuture<Lease> acquireAsync(LockRequest request, Duration defaultWaitTime) {
		Waiter waiter;
		try {
			waiter = enqueue(request, defaultWaitTime, false);
		}
		catch (LockException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Lease> result = new CompletableFuture<>();
		result.whenComplete((lease, failure) -> {
			if (result.isCancelled()) {
				giveUp(waiter, new LockInterruptedException(
						"The wait for the lock on " + request.getKeys() + " was cancelled"));
			}
		});
		waiter.future().whenCompleteAsync((lease, failure) -> {
			if (lease == null) {
				result.completeExceptionally(failure);
			}
			else if (!lease.canBegin()) {
				lease.end();
				result.completeExceptionally(ranOut(waiter));
			}
			else if (!result.complete(lease)) {
				lease.end();
			}
		}, callbacks());
		return result;
	}

	private Waiter enqueue(LockRequest request, Duration defaultWaitTime, boolean blocking) {
		BackendTraits traits = open().traits();
		ResolvedRequest resolved = ResolvedRequest.resolve(request, defaultWaitTime, this.settings, this.name, traits);
		Waiter waiter = new Waiter(resolved, blocking, this.core.clock().nanoTime());
		this.core.listeners().waiting(this.name, request);
		waiter.future().whenComplete((lease, failure) -> {
			if (failure != null) {
				tellFailure(waiter, failure);
			}
		});
		try {
			this.core.enqueue(waiter);
			if (waiter.isWaiting()) {
				// The first attempt may have kept this thread for a part of the time.
				lookAfter(waiter, firstLook(waiter));
			}
			if (this.phase == Phase.STOPPED) {
				// The stop may have looked at the queues before this waiter was there.
				giveUp(waiter, this.core.calls().stopped());
			}
		}
		catch (Throwable ex) {
			if (!waiter.decide()) {
				disown(waiter);
			}
			throw ex;
		}
		return waiter;
	}

	/**
	 * Return the time until a waiter has to be looked at for the first time.
	 */
	private Duration firstLook(Waiter waiter) {
		Duration left = waiter.timeLeft(this.core.clock().nanoTime());
		Duration look = waiter.request().isOneAttempt() ? left.plus(waiter.request().overtime())
				: waiter.request().nextLook(left);
		return look.isNegative() ? Duration.ZERO : look;
	}

	private void lookAfter(Waiter waiter, Duration delay) {
		Timeout timeout = this.core.clock().schedule(delay, () -> {
			Duration next = this.core.timeOut(waiter);
			if (next != null) {
				lookAfter(waiter, next);
			}
		});
		waiter.future().whenComplete((lease, failure) -> timeout.cancel());
	}

	private void tellFailure(Waiter waiter, Throwable failure) {
		Duration waited = waiter.waited(this.core.clock().nanoTime());
		LockRequest request = waiter.request().lockRequest();
		logger.debug("Not acquired {} from {} after {}: {}", request, this.name, waited, failure.toString());
		if (failure instanceof LockBusyException) {
			this.core.listeners().busy(this.name, request, waited);
		}
		else {
			this.core.listeners().unavailable(this.name, request, failure, waited);
		}
	}

	private boolean giveUp(Waiter waiter, LockException reason) {
		boolean decided = waiter.fail(reason);
		if (decided) {
			this.core.forget(waiter);
		}
		return decided;
	}

	/**
	 * Return the connection to the store; the first call connects.
	 */
	BackendConnection open() {
		if (this.phase == Phase.NEW) {
			synchronized (this) {
				if (this.phase == Phase.NEW) {
					start();
				}
			}
		}
		if (this.phase == Phase.STOPPED) {
			throw this.core.calls().stopped();
		}
		return this.core.calls().connection();
	}

	private LockUnavailableException ranOut(Waiter waiter) {
		return new LockUnavailableException("The lease on " + waiter.request().lockRequest().getKeys()
				+ " ran out before its holder could use it: the backend '" + this.name
				+ "' or this machine was too slow for its ttl of " + waiter.request().ttl());
	}

	private static LockInterruptedException interrupted(LockRequest request) {
		return new LockInterruptedException(
				"The thread was interrupted while it waited for the lock on " + request.getKeys());
	}

	private static RuntimeException failure(Throwable cause) {
		if (cause instanceof LockException exception) {
			// Thrown on the caller's thread, so that its stack is the caller's.
			exception.setStackTrace(new Throwable().getStackTrace());
			return exception;
		}
		return new IllegalStateException(cause);
	}

	/**
	 * Return what runs callers' code, such as listeners that may block.
	 * @return the executor, of daemon threads that end when they are idle
	 */
	public Executor callbacks() {
		return this.core.callbacks();
	}

}
