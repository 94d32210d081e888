package io.distributedlock.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenes in which bodies run and customizers change requests.
 */
final class BodyScenes {

	private BodyScenes() {
	}

	static void execute(EngineHealth engine, MisbehavingCode code) {
		assertFails(engine, "execute", () -> engine.template.execute(EngineHealth.KEY, (lease) -> {
			code.run();
			return "done";
		}));
	}

	@SuppressWarnings("NullAway") // null is the wrong return value
	static void tryExecute(EngineHealth engine, MisbehavingCode code) {
		assertFails(engine, "tryExecute", () -> engine.template.tryExecute(EngineHealth.KEY, (lease) -> {
			code.run();
			return null;
		}));
	}

	static void executeAsync(EngineHealth engine, MisbehavingCode code) {
		if (code.misbehaviour() == Misbehaviour.BLOCKS) {
			for (String key : ListenerScenes.manyKeys(EngineHealth.ENDLESS)) {
				engine.call("executeAsync", () -> engine.template.executeAsync(key, (lease) -> nothing(code)));
			}
			EngineHealth.until("all bodies are called", () -> code.calls() == ListenerScenes.MANY);
			return;
		}
		assertFails(engine, "executeAsync",
				() -> engine.template.executeAsync(EngineHealth.KEY, (lease) -> nothing(code))
					.toCompletableFuture()
					.get());
	}

	@SuppressWarnings("NullAway") // null is the wrong return value
	private static @Nullable CompletionStage<String> nothing(MisbehavingCode code) {
		code.run();
		return null;
	}

	static void completeStage(EngineHealth engine, MisbehavingCode code) {
		Misbehaviour misbehaviour = code.misbehaviour();
		boolean endless = misbehaviour == Misbehaviour.NEVER_COMPLETES;
		String key = endless ? EngineHealth.ENDLESS : EngineHealth.KEY;
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = engine.call("executeAsync",
				() -> engine.template.executeAsync(key, (lease) -> {
					code.run();
					return MisbehavingStage.of(work, misbehaviour);
				}).toCompletableFuture());
		ListenerScenes.awaitMisbehaviour(code);
		if (endless || misbehaviour == Misbehaviour.REFUSES_TO_BE_A_FUTURE) {
			engine.advance(EngineHealth.TTL.multipliedBy(3));
			assertThat(engine.isFree(key)).as("the lock is free while the body works").isFalse();
		}
		if (endless) {
			return;
		}
		if (misbehaviour == Misbehaviour.COMPLETES_WITH_ERROR) {
			work.completeExceptionally(new AssertionError("simulated"));
		}
		engine.call("the end of the body", () -> work.complete("done"));
		// A stage that does not accept handlers, or seems not to, may count as failed.
		Throwable failure = EngineHealth.failure("executeAsync", result);
		if (misbehaviour == Misbehaviour.COMPLETES_WITH_ERROR) {
			assertThat(failure).isInstanceOf(AssertionError.class);
		}
		if (misbehaviour == Misbehaviour.REFUSES_TO_BE_A_FUTURE) {
			assertThat(failure).isNull();
		}
		if (misbehaviour == Misbehaviour.REFUSES_HANDLERS) {
			// The end of the work is unknown, so the lease ends with its TTL.
			engine.advanceUntil("the lock is free", () -> engine.isFree(EngineHealth.KEY));
		}
		EngineHealth.until("the lock is free", () -> engine.isFree(EngineHealth.KEY));
	}

	static void customize(EngineHealth engine, MisbehavingCode code) {
		assertFails(engine, "acquire", () -> engine.template.acquire(EngineHealth.KEY));
		assertFails(engine, "tryAcquire", () -> engine.template.tryAcquire(EngineHealth.KEY));
		assertFails(engine, "execute", () -> engine.template.execute(EngineHealth.KEY, (lease) -> "done"));
		assertFails(engine, "tryExecute", () -> engine.template.tryExecute(EngineHealth.KEY, (lease) -> "done"));
		code.reform();
	}

	static void customizeAsync(EngineHealth engine, MisbehavingCode code) {
		assertFails(engine, "acquireAsync",
				() -> engine.template.acquireAsync(EngineHealth.KEY).toCompletableFuture().get());
		assertFails(engine, "tryAcquireAsync",
				() -> engine.template.tryAcquireAsync(EngineHealth.KEY).toCompletableFuture().get());
		assertFails(engine, "executeAsync",
				() -> engine.template
					.executeAsync(EngineHealth.KEY, (lease) -> CompletableFuture.completedFuture("done"))
					.toCompletableFuture()
					.get());
		code.reform();
	}

	private static void assertFails(EngineHealth engine, String what, Callable<?> call) {
		assertThat(engine.attempt(what, call)).as(what + " fails").isNotNull();
		assertThat(engine.isFree(EngineHealth.KEY)).as("the lock is free after " + what).isTrue();
	}

}
