package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenes in which many results complete. Each has a handler that was attached before and
 * so runs on the thread that completes the result.
 */
final class HandlerScenes {

	private HandlerScenes() {
	}

	static void acquireAsync(EngineHealth engine, MisbehavingCode code) {
		Handlers handlers = new Handlers(engine, code);
		List<Lease> holders = new ArrayList<>();
		List<CompletableFuture<Lease>> results = new ArrayList<>();
		for (String key : ListenerScenes.manyKeys("order:many:")) {
			holders.add(engine.other.acquire(key));
			results.add(handlers.attach(engine.acquireAsync(key)));
		}
		engine.call("release by the other engine", () -> holders.stream().allMatch(Lease::release));
		results.forEach((result) -> engine.release(EngineHealth.get("acquireAsync", result)));
		handlers.awaitCalls();
	}

	static void tryAcquireAsync(EngineHealth engine, MisbehavingCode code) {
		Handlers handlers = new Handlers(engine, code);
		List<CompletableFuture<Optional<Lease>>> results = new ArrayList<>();
		engine.driver.keepAnswersBack();
		for (String key : ListenerScenes.manyKeys("order:many:")) {
			results.add(handlers.attach(engine.call("tryAcquireAsync", () -> engine.template.tryAcquireAsync(key))));
		}
		engine.letAnswersThrough();
		results.forEach((result) -> engine.release(EngineHealth.get("tryAcquireAsync", result).orElseThrow()));
		handlers.awaitCalls();
	}

	static void releaseAsync(EngineHealth engine, MisbehavingCode code) {
		Handlers handlers = new Handlers(engine, code);
		List<Lease> leases = ListenerScenes.manyKeys("order:many:").stream().map(engine::acquire).toList();
		List<CompletableFuture<Boolean>> results = new ArrayList<>();
		engine.driver.keepAnswersBack();
		for (Lease lease : leases) {
			results.add(handlers.attach(engine.call("releaseAsync", lease::releaseAsync)));
		}
		engine.letAnswersThrough();
		results.forEach((result) -> assertThat(EngineHealth.get("releaseAsync", result)).isTrue());
		handlers.awaitCalls();
	}

	static void executeAsync(EngineHealth engine, MisbehavingCode code) {
		Handlers handlers = new Handlers(engine, code);
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicInteger bodies = new AtomicInteger();
		List<CompletableFuture<String>> results = new ArrayList<>();
		for (String key : ListenerScenes.manyKeys("order:many:")) {
			results.add(handlers.attach(engine.call("executeAsync", () -> engine.template.executeAsync(key, (lease) -> {
				bodies.incrementAndGet();
				return work;
			}))));
		}
		EngineHealth.until("the bodies have begun", () -> bodies.get() == ListenerScenes.MANY);
		engine.call("the end of the bodies", () -> work.complete("done"));
		results.forEach((result) -> assertThat(EngineHealth.get("executeAsync", result)).isEqualTo("done"));
		handlers.awaitCalls();
	}

	/**
	 * The handlers of the results.
	 */
	private static final class Handlers {

		private final EngineHealth engine;

		private final MisbehavingCode code;

		private final AtomicInteger detours = new AtomicInteger();

		private final AtomicInteger through = new AtomicInteger();

		Handlers(EngineHealth engine, MisbehavingCode code) {
			this.engine = engine;
			this.code = code;
		}

		<T> CompletableFuture<T> attach(CompletionStage<T> stage) {
			stage.whenComplete((result, failure) -> {
				this.code.run();
				if (makesDetour()) {
					detour();
				}
			});
			return stage.toCompletableFuture();
		}

		private boolean makesDetour() {
			return this.code.misbehaviour() == Misbehaviour.BLOCKS_UNTIL_ANOTHER_LOCK_IS_ACQUIRED;
		}

		private void detour() {
			String key = "detour:" + this.detours.incrementAndGet();
			this.engine.template.acquireAsync(key).toCompletableFuture().join().release();
			this.through.incrementAndGet();
		}

		void awaitCalls() {
			EngineHealth.until("all handlers are called", () -> this.code.calls() == ListenerScenes.MANY);
			EngineHealth.until("all handlers have acquired another lock",
					() -> !makesDetour() || this.through.get() == ListenerScenes.MANY);
		}

	}

}
