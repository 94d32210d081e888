package io.distributedlock.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenes in which callers cancel results, or complete them themselves, at each stage.
 */
final class ResultScenes {

	private ResultScenes() {
	}

	static void acquireAsync(EngineHealth engine, MisbehavingCode code) {
		switch (code.misbehaviour()) {
			case CANCELS_WHEN_COMPLETE -> {
				CompletableFuture<Lease> result = engine.acquireAsync(EngineHealth.KEY);
				Lease lease = EngineHealth.get("acquireAsync", result);
				assertThat(spoil(engine, result, code)).isFalse();
				engine.release(lease);
			}
			case CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY -> {
				engine.driver.keepAnswersBack();
				assertThat(spoil(engine, engine.acquireAsync(EngineHealth.KEY), code)).isTrue();
				engine.letAnswersThrough();
			}
			default -> {
				Lease holder = engine.other.acquire(EngineHealth.KEY);
				assertThat(spoil(engine, engine.acquireAsync(EngineHealth.KEY), code)).isTrue();
				assertThat(holder.release()).isTrue();
			}
		}
		EngineHealth.until("the lock is free", () -> engine.isFree(EngineHealth.KEY));
	}

	static void tryAcquireAsync(EngineHealth engine, MisbehavingCode code) {
		engine.driver.keepAnswersBack();
		CompletableFuture<Optional<Lease>> result = engine.call("tryAcquireAsync",
				() -> engine.template.tryAcquireAsync(EngineHealth.KEY).toCompletableFuture());
		if (code.misbehaviour() == Misbehaviour.CANCELS_WHEN_COMPLETE) {
			engine.letAnswersThrough();
			Lease lease = EngineHealth.get("tryAcquireAsync", result).orElseThrow();
			assertThat(spoil(engine, result, code)).isFalse();
			engine.release(lease);
		}
		else {
			assertThat(spoil(engine, result, code)).isTrue();
			engine.letAnswersThrough();
		}
		EngineHealth.until("the lock is free", () -> engine.isFree(EngineHealth.KEY));
	}

	static void releaseAsync(EngineHealth engine, MisbehavingCode code) {
		Lease lease = engine.acquire(EngineHealth.KEY);
		engine.driver.keepAnswersBack();
		CompletableFuture<Boolean> result = engine.call("releaseAsync",
				() -> lease.releaseAsync().toCompletableFuture());
		if (code.misbehaviour() == Misbehaviour.CANCELS_WHEN_COMPLETE) {
			engine.letAnswersThrough();
			assertThat(EngineHealth.get("releaseAsync", result)).isTrue();
			assertThat(spoil(engine, result, code)).isFalse();
		}
		else {
			assertThat(spoil(engine, result, code)).isTrue();
			engine.letAnswersThrough();
		}
		// Completing the result of one caller does not affect the result of another.
		assertThat(EngineHealth.get("releaseAsync again", lease.releaseAsync().toCompletableFuture())).isTrue();
	}

	static void executeAsync(EngineHealth engine, MisbehavingCode code) {
		switch (code.misbehaviour()) {
			case CANCELS_WHEN_COMPLETE -> {
				CompletableFuture<String> result = executeAsync(engine, CompletableFuture.completedFuture("done"));
				assertThat(EngineHealth.get("executeAsync", result)).isEqualTo("done");
				assertThat(spoil(engine, result, code)).isFalse();
			}
			case CANCELS_WHILE_WAITING -> {
				Lease holder = engine.other.acquire(EngineHealth.KEY);
				CompletableFuture<String> work = new CompletableFuture<>();
				assertThat(spoil(engine, executeAsync(engine, work), code)).isTrue();
				assertThat(holder.release()).isTrue();
			}
			case CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY -> {
				engine.driver.keepAnswersBack();
				assertThat(spoil(engine, executeAsync(engine, new CompletableFuture<>()), code)).isTrue();
				engine.letAnswersThrough();
			}
			default -> spoilWhileOpen(engine, code);
		}
		EngineHealth.until("the lock is free", () -> engine.isFree(EngineHealth.KEY));
	}

	/**
	 * Only the body knows when its work is over, so it holds the lock until then.
	 */
	private static void spoilWhileOpen(EngineHealth engine, MisbehavingCode code) {
		AtomicInteger bodies = new AtomicInteger();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = engine.call("executeAsync",
				() -> engine.template.executeAsync(EngineHealth.KEY, (lease) -> {
					bodies.incrementAndGet();
					return work;
				}).toCompletableFuture());
		EngineHealth.until("the body has begun", () -> bodies.get() > 0);

		assertThat(spoil(engine, result, code)).isTrue();

		assertThat(engine.isFree(EngineHealth.KEY)).as("the lock is free while the body works").isFalse();
		assertThat(engine.other.tryAcquire(EngineHealth.KEY)).isEmpty();
		assertThat(engine.call("the end of the body", () -> work.complete("done"))).isTrue();
	}

	private static CompletableFuture<String> executeAsync(EngineHealth engine, CompletableFuture<String> work) {
		return engine.call("executeAsync",
				() -> engine.template.executeAsync(EngineHealth.KEY, (lease) -> work).toCompletableFuture());
	}

	private static boolean spoil(EngineHealth engine, CompletableFuture<?> result, MisbehavingCode code) {
		code.run();
		boolean completes = code.misbehaviour() == Misbehaviour.COMPLETES_THE_RESULT_ITSELF;
		return engine.call("the caller", () -> completes
				? result.completeExceptionally(new IllegalStateException("simulated")) : result.cancel(true));
	}

}
