package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenes in which the engine makes each kind of call to a driver. They check that callers
 * get a lease or an exception of the library.
 */
final class DriverScenes {

	private DriverScenes() {
	}

	/**
	 * A fault does not end the wait: the waiter is served when the store is asked again.
	 */
	static void acquireAsync(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		LockRequest request = LockRequest.of(EngineHealth.KEY).waitTime(EngineHealth.TTL.multipliedBy(3));
		CompletableFuture<Lease> result = engine.call("acquireAsync",
				() -> engine.template.acquireAsync(request).toCompletableFuture());
		engine.advanceUntil("acquireAsync ends", result::isDone);
		engine.release(EngineHealth.get("acquireAsync", result));
	}

	static void tryAcquire(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		Future<Lease> result = engine.begin(() -> engine.template.tryAcquire(EngineHealth.KEY).orElse(null));
		engine.advanceUntil("tryAcquire ends", result::isDone);
		Throwable failure = EngineHealth.failure("tryAcquire", result);
		assertLibrarySays(failure);
		Lease lease = (failure != null) ? null : EngineHealth.get("tryAcquire", result);
		if (lease != null) {
			engine.release(lease);
		}
	}

	static void timeOut(EngineHealth engine, Runnable misbehaving) {
		Lease holder = engine.other.acquire(EngineHealth.KEY);
		misbehaving.run();
		CompletableFuture<Lease> waiting = engine.acquireAsync(EngineHealth.KEY);
		engine.advance(Duration.ofSeconds(10));
		assertThat(EngineHealth.failure("the waiter", waiting)).isInstanceOf(LockException.class);
		assertThat(holder.release()).isTrue();
	}

	static void cancel(EngineHealth engine, Runnable misbehaving) {
		Lease holder = engine.other.acquire(EngineHealth.KEY);
		misbehaving.run();
		CompletableFuture<Lease> waiting = engine.acquireAsync(EngineHealth.KEY);
		assertThat(engine.call("cancel", () -> waiting.cancel(true))).isTrue();
		assertThat(holder.release()).isTrue();
	}

	/**
	 * Leases outlive one renewal without a good answer.
	 */
	static void renew(EngineHealth engine, Runnable misbehaving) {
		Lease lease = engine.acquire(EngineHealth.KEY);
		misbehaving.run();
		engine.advance(EngineHealth.TTL.multipliedBy(3));
		assertThat(lease.isHeld()).as("the lease is renewed").isTrue();
		engine.release(lease);
	}

	static void verify(EngineHealth engine, Runnable misbehaving) {
		Lease lease = engine.acquire(EngineHealth.KEY);
		misbehaving.run();
		assertUnavailable(engine, "verify", () -> {
			lease.verify();
			return true;
		});
		engine.release(lease);
	}

	static void release(EngineHealth engine, Runnable misbehaving) {
		Lease lease = engine.acquire(EngineHealth.KEY);
		CompletableFuture<Lease> next = engine.call("acquireAsync",
				() -> engine.template.acquireAsync(LockRequest.of(EngineHealth.KEY).withoutRenewal())
					.toCompletableFuture());
		misbehaving.run();
		engine.release(lease);
		engine.advanceUntil("the waiter behind the released lease ends", next::isDone);
		engine.release(EngineHealth.get("the waiter behind the released lease", next));
	}

	static void lose(EngineHealth engine, Runnable misbehaving) {
		CountDownLatch notified = new CountDownLatch(1);
		Lease lease = engine.call("acquire",
				() -> engine.template.acquire(LockRequest.of(EngineHealth.KEY).maxHold(EngineHealth.TTL)));
		lease.onLost((lost) -> notified.countDown());
		CompletableFuture<Lease> next = engine.acquireAsync(EngineHealth.KEY);
		misbehaving.run();
		engine.advance(EngineHealth.TTL);
		EngineHealth.until("the holder is notified", () -> notified.getCount() == 0);
		engine.advanceUntil("the waiter behind the lost lease ends", next::isDone);
		engine.release(EngineHealth.get("the waiter behind the lost lease", next));
	}

	static void grantTooLate(EngineHealth engine, Runnable misbehaving) {
		engine.driver.keepAnswersBack();
		CompletableFuture<Lease> waiting = engine.acquireAsync(EngineHealth.KEY);
		assertThat(engine.call("cancel", () -> waiting.cancel(true))).isTrue();
		misbehaving.run();
		engine.letAnswersThrough();
	}

	static void failAttempt(EngineHealth engine, Runnable misbehaving) {
		engine.driver.cutOff(true);
		misbehaving.run();
		assertUnavailable(engine, "tryAcquire", () -> engine.template.tryAcquire(EngineHealth.KEY));
		engine.driver.cutOff(false);
	}

	/**
	 * The next request finds the attempt overdue and continues without it.
	 */
	static void neverAnswerAttempt(EngineHealth engine, Runnable misbehaving) {
		engine.driver.misbehave(MisbehavingDriver.Call.ATTEMPT, Misbehaviour.NEVER_COMPLETES);
		CompletableFuture<Lease> first = engine.acquireAsync(EngineHealth.KEY);
		misbehaving.run();
		engine.advance(EngineHealth.TTL.multipliedBy(2));
		CompletableFuture<Lease> second = engine.acquireAsync(EngineHealth.KEY);
		engine.advanceUntil("the waiter whose attempt is not answered ends", first::isDone);
		engine.release(EngineHealth.get("the waiter whose attempt is not answered", first));
		engine.advanceUntil("the waiter behind it ends", second::isDone);
		engine.release(EngineHealth.get("the waiter behind it", second));
	}

	static void find(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		assertUnavailable(engine, "find", () -> new DefaultLocks(engine.engine).find(EngineHealth.KEY));
	}

	static void list(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		assertUnavailable(engine, "list", () -> new DefaultLocks(engine.engine).list());
	}

	static void forceRelease(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		assertUnavailable(engine, "forceRelease", () -> new DefaultLocks(engine.engine).forceRelease(EngineHealth.KEY));
	}

	/**
	 * An exception of the driver may come out of the stop, but all other steps are done.
	 */
	static void stop(EngineHealth engine, Runnable misbehaving) {
		misbehaving.run();
		engine.attempt("stop", () -> {
			engine.engine.stop();
			return true;
		});
		engine.assertStopped();
	}

	private static void assertUnavailable(EngineHealth engine, String what, Callable<?> call) {
		assertThat(engine.attempt(what, call)).as(what).isInstanceOf(LockUnavailableException.class);
	}

	private static void assertLibrarySays(@Nullable Throwable failure) {
		if (failure != null) {
			assertThat(failure).isInstanceOf(LockException.class);
		}
	}

}
