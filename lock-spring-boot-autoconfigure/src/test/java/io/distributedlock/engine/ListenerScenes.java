package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenes in which listeners receive each kind of event, and holders are notified of
 * losses.
 */
final class ListenerScenes {

	/**
	 * More than the number of threads that an engine may keep for callers' code.
	 */
	static final int MANY = 40;

	private ListenerScenes() {
	}

	static void acquire(EngineHealth engine, MisbehavingCode code) {
		engine.release(engine.acquire(EngineHealth.KEY));
		engine.release(EngineHealth.get("acquireAsync", engine.acquireAsync(EngineHealth.KEY)));
		awaitMisbehaviour(code);
	}

	static void findBusy(EngineHealth engine, MisbehavingCode code) {
		Lease holder = engine.other.acquire(EngineHealth.KEY);
		assertThat(engine.call("tryAcquire", () -> engine.template.tryAcquire(EngineHealth.KEY))).isEmpty();
		assertThat(
				EngineHealth.get("tryAcquireAsync",
						engine.call("tryAcquireAsync",
								() -> engine.template.tryAcquireAsync(EngineHealth.KEY).toCompletableFuture())))
			.isEmpty();
		assertThat(holder.release()).isTrue();
		awaitMisbehaviour(code);
	}

	static void cancel(EngineHealth engine, MisbehavingCode code) {
		Lease holder = engine.other.acquire(EngineHealth.KEY);
		CompletableFuture<Lease> waiting = engine.acquireAsync(EngineHealth.KEY);
		assertThat(engine.call("cancel", () -> waiting.cancel(true))).isTrue();
		assertThat(holder.release()).isTrue();
		awaitMisbehaviour(code);
	}

	static void handOver(EngineHealth engine, MisbehavingCode code) {
		Lease first = engine.acquire(EngineHealth.KEY);
		CompletableFuture<Lease> second = engine.acquireAsync(EngineHealth.KEY);
		CompletableFuture<Lease> third = engine.acquireAsync(EngineHealth.KEY);
		engine.release(first);
		engine.release(EngineHealth.get("the next holder", second));
		engine.release(EngineHealth.get("the holder after the next", third));
		awaitMisbehaviour(code);
	}

	static void renew(EngineHealth engine, MisbehavingCode code) {
		Lease lease = engine.acquire(EngineHealth.KEY);
		engine.advance(EngineHealth.TTL.multipliedBy(2));
		awaitMisbehaviour(code);
		engine.release(lease);
	}

	static void lose(EngineHealth engine, MisbehavingCode code) {
		CountDownLatch notified = new CountDownLatch(1);
		Lease lease = engine.call("acquire",
				() -> engine.template.acquire(LockRequest.of(EngineHealth.KEY).withoutRenewal()));
		lease.onLost((lost) -> notified.countDown());
		CompletableFuture<Lease> next = engine.acquireAsync(EngineHealth.KEY);
		engine.advance(EngineHealth.TTL);
		EngineHealth.until("the holder is notified", () -> notified.getCount() == 0);
		engine.release(EngineHealth.get("the waiter behind the lost lease", next));
		awaitMisbehaviour(code);
	}

	static void loseMany(EngineHealth engine, MisbehavingCode code) {
		for (String key : manyKeys("order:many:")) {
			engine.call("acquire", () -> engine.template.acquire(LockRequest.of(key).withoutRenewal()))
				.onLost((lease) -> code.run());
		}
		engine.advance(EngineHealth.TTL);
		awaitMisbehaviour(code);
	}

	/**
	 * A listener that is added after the loss is notified immediately, but not on the
	 * thread that adds it.
	 */
	static void hearLate(EngineHealth engine, MisbehavingCode code) {
		Lease lease = engine.call("acquire",
				() -> engine.template.acquire(LockRequest.of(EngineHealth.KEY).withoutRenewal()));
		engine.advance(EngineHealth.TTL);
		for (int i = 0; i < MANY; i++) {
			engine.call("onLost", () -> {
				lease.onLost((lost) -> code.run());
				return true;
			});
		}
		awaitMisbehaviour(code);
	}

	static void awaitMisbehaviour(MisbehavingCode code) {
		EngineHealth.until("the code is called", () -> code.calls() > 0);
	}

	static List<String> manyKeys(String prefix) {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			keys.add(prefix + i);
		}
		return keys;
	}

}
