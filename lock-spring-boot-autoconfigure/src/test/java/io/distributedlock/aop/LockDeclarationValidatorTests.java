package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.function.AsyncServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockMode;
import io.distributedlock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockDeclarationValidator} and the other checks of
 * {@link LockOperationFactory}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockDeclarationValidatorTests {

	private final LockOperationSource operations = LockedContext.operations(Map.of());

	static Stream<Arguments> refused() {
		return Arrays.stream(Refused.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Says.class))
			.map((method) -> Arguments.of(method, method.getAnnotation(Says.class).value()));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void refuses(Method method, String message) {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.operations.operations(method, Refused.class))
			.withMessageStartingWith("@DistributedLock on " + Refused.class.getName() + "." + method.getName() + "(")
			.withMessageContaining(message);
	}

	@Test
	void refusesAnAsynchronousClass() throws Exception {
		Method method = AsyncClass.class.getMethod("call");

		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.operations.operations(method, AsyncClass.class))
			.withMessageContaining("@Async on the same method is not supported yet");
	}

	@Test
	void refusesAGenericReturnTypeThatIsAsynchronousInTheClass() throws Exception {
		Method method = Generic.class.getMethod("call");

		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.operations.operations(method, AsyncGeneric.class))
			.withMessageContaining("the return type CompletableFuture is not supported yet");
	}

	@Test
	void allowsAMinimumHoldAboveTheTtl() throws Exception {
		Method method = Allowed.class.getMethod("minHoldAboveTtl");

		LockOptions options = this.operations.operations(method, Allowed.class).get(0).options();

		assertThat(options.minHold()).isEqualTo(Duration.ofMinutes(1));
		assertThat(options.ttl()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void allowsSkipOnEveryTypeThatHasAnEmptyValue() {
		for (Method method : Allowed.class.getDeclaredMethods()) {
			assertThat(this.operations.operations(method, Allowed.class)).isNotEmpty();
		}
	}

	@Test
	void warnsOfAWaitTimeOnAScheduledMethod(CapturedOutput output) throws Exception {
		Method method = ScheduledAndWaits.class.getMethod("call");

		LockOperation operation = this.operations.operations(method, ScheduledAndWaits.class).get(0);

		assertThat(operation.options().waitTime()).isEqualTo(Duration.ofSeconds(3));
		assertThat(output).contains(ScheduledAndWaits.class.getName() + ".call() is called by the scheduler and waits")
			.contains("waitTime = 3s");
	}

	@ParameterizedTest
	@CsvSource({ "everySecond, minHold, fixedRate = 1", "byText, minHold, fixedRateString = PT10S",
			"byCron, minHold, cron = 0/10 * * * * *", "literalName, name, all calls share one lock" })
	void warnsOf(String name, String attribute, String reason, CapturedOutput output) throws Exception {
		Method method = Warned.class.getMethod(name,
				(name.equals("literalName") ? new Class<?>[] { long.class } : new Class<?>[0]));

		this.operations.operations(method, Warned.class);

		assertThat(output.getOut().lines().filter((line) -> line.contains(Warned.class.getName() + "." + name)))
			.singleElement()
			.asString()
			.contains(attribute, reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "shorter", "byCronShorter", "delayed", "unreadable", "otherName" })
	void doesNotWarnOf(String name, CapturedOutput output) throws Exception {
		this.operations.operations(Warned.class.getMethod(name), Warned.class);

		assertThat(output).doesNotContain(Warned.class.getName() + "." + name);
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Says {

		String value();

	}

	@SuppressWarnings("unused")
	public static class Refused {

		@Says("the return type Callable is not supported yet: the lock would be released before the work is done")
		@DistributedLock
		Callable<String> callable() {
			return () -> "";
		}

		@Says("the return type Supplier is not supported yet")
		@DistributedLock
		Supplier<String> supplier() {
			return () -> "";
		}

		@Says("the return type Runnable is not supported yet")
		@DistributedLock
		Runnable runnable() {
			return () -> {
			};
		}

		@Says("the return type Stream is not supported yet")
		@DistributedLock
		Stream<String> stream() {
			return Stream.of();
		}

		@Says("the return type IntStream is not supported yet")
		@DistributedLock
		Optional<IntStream> streamThatMayBeMissing() {
			return Optional.empty();
		}

		@Says("the return type DeferredResult is not supported yet")
		@DistributedLock
		DeferredResult<String> deferredResult() {
			return new DeferredResult<>();
		}

		@Says("the return type SseEmitter is not supported yet")
		@DistributedLock
		SseEmitter emitter() {
			return new SseEmitter();
		}

		@Says("the return type StreamingResponseBody is not supported yet")
		@DistributedLock
		ResponseEntity<StreamingResponseBody> streamingBody() {
			return ResponseEntity.ok().build();
		}

		@Says("the return type CompletableFuture is not supported yet")
		@DistributedLock
		List<CompletableFuture<String>> listOfFutures() {
			return List.of();
		}

		@Says("the return type Future is not supported yet")
		@DistributedLock
		Map<String, List<Future<String>>> mapOfFutures() {
			return Map.of();
		}

		@Says("the return type CompletableFuture is not supported yet")
		@DistributedLock
		CompletableFuture<?>[] arrayOfFutures() {
			return new CompletableFuture<?>[0];
		}

		@Says("the return type AsyncServerResponse is not supported yet")
		@DistributedLock
		AsyncServerResponse asynchronousResponse() {
			throw new IllegalStateException();
		}

		@Says("mode: PERMITS needs a number")
		@DistributedLock(mode = LockMode.PERMITS)
		void permitsWithoutNumber() {
		}

		@Says("permits: excludes mode = SHARED")
		@DistributedLock(mode = LockMode.SHARED, permits = "2")
		void sharedPermits() {
		}

		@Says("permits: excludes fenced")
		@DistributedLock(permits = "2", fenced = true)
		void fencedPermits() {
		}

		@Says("permits: excludes several keys")
		@DistributedLock(permits = "2", key = { "'a'", "'b'" })
		void permitsOfSeveralKeys() {
		}

		@Says("permits: '0' is not a whole number between 1 and 2147483647")
		@DistributedLock(permits = "0")
		void noPermits() {
		}

		@Says("permits: 'many' is not a whole number between 1 and 2147483647")
		@DistributedLock(permits = "many")
		void manyPermits() {
		}

		@Says("onBusy: SKIP, but the primitive int has no value for a skipped one")
		@DistributedLock(onBusy = OnBusy.SKIP)
		int skipsInt() {
			return 1;
		}

		@Says("onBusy: SKIP, but the primitive boolean has no value")
		@DistributedLock(onBusy = OnBusy.SKIP)
		boolean skipsBoolean() {
			return true;
		}

		@Says("onBusy: a busy lock skips a scheduled call, but the primitive long has no value")
		@Scheduled(fixedDelay = 1)
		@DistributedLock
		long scheduledPrimitive() {
			return 1;
		}

		@Says("onBusy: SKIP excludes a fallback; omit onBusy, or the fallback")
		@DistributedLock(onBusy = OnBusy.SKIP, fallback = "fallback")
		void skipWithFallback() {
		}

		@Says("onBusy: THROW excludes a fallback")
		@DistributedLock(onBusy = OnBusy.THROW, fallback = "fallback")
		void throwWithFallback() {
		}

		@Says("fallback: 'nowhere' is no other method of ")
		@DistributedLock(fallback = "nowhere")
		void noFallback() {
		}

		@Says("with the parameters (long, String) or (long, String, LockBusyException)")
		@DistributedLock(fallback = "fallback")
		void otherParameters(long id, String text) {
		}

		@Says("fallback: 'itself' is no other method")
		@DistributedLock(fallback = "itself")
		void itself() {
		}

		@Says("fallback: 'text' returns String, but must return Integer")
		@DistributedLock(fallback = "text")
		Integer otherType() {
			return 1;
		}

		@Says("fallback: 'boxed' returns Integer, but must return int")
		@DistributedLock(fallback = "boxed")
		int boxedForPrimitive() {
			return 1;
		}

		@Says("fallback: 'noPermits' is annotated itself, but a fallback runs without a lock")
		@DistributedLock(fallback = "noPermits")
		void lockedFallback() {
		}

		void fallback() {
		}

		String text() {
			return "";
		}

		Integer boxed() {
			return 1;
		}

		@Says("maxHold: has no meaning with renew=false")
		@DistributedLock(renew = false, maxHold = "1m")
		void maxHoldWithoutRenewal() {
		}

		@Says("minHold: is longer than maxHold (2m against 1m); raise maxHold or lower minHold")
		@DistributedLock(minHold = "2m", maxHold = "1m")
		void minHoldAboveMaxHold() {
		}

		@Says("name: '${nowhere}' can't be resolved")
		@DistributedLock(name = "${nowhere}")
		void unknownPlaceholder() {
		}

		@Says("backend: '${nowhere:}', which is '', is blank")
		@DistributedLock(backend = "${nowhere:}")
		void blankBackend() {
		}

		@Says("name: '  ' is blank")
		@DistributedLock(name = "  ")
		void blankName() {
		}

		@Says("the return type CompletableFuture is not supported yet: the lock would be released before")
		@DistributedLock
		CompletableFuture<String> completableFuture() {
			return new CompletableFuture<>();
		}

		@Says("the return type CompletionStage is not supported yet")
		@DistributedLock
		CompletionStage<String> completionStage() {
			return new CompletableFuture<>();
		}

		@Says("the return type Future is not supported yet")
		@DistributedLock
		Future<String> future() {
			return new CompletableFuture<>();
		}

		@Says("the return type Publisher is not supported yet")
		@DistributedLock
		Flow.Publisher<String> publisher() {
			return (subscriber) -> {
			};
		}

		@Says("@Async on the same method is not supported yet")
		@Async
		@DistributedLock
		void async() {
		}

	}

	@Async
	public static class AsyncClass {

		@DistributedLock
		public void call() {
		}

	}

	interface Generic<T> {

		@DistributedLock
		T call();

	}

	public static class AsyncGeneric implements Generic<CompletableFuture<String>> {

		@Override
		public CompletableFuture<String> call() {
			return new CompletableFuture<>();
		}

	}

	@SuppressWarnings("unused")
	public static class Allowed {

		@DistributedLock(ttl = "1s", minHold = "1m")
		public void minHoldAboveTtl() {
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		void skipsVoid() {
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		@Nullable List<String> skipsObject() {
			return List.of();
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		@Nullable Integer skipsBoxed() {
			return 1;
		}

		@Scheduled(fixedDelay = 1)
		@DistributedLock(onBusy = OnBusy.THROW)
		int scheduledThatThrows() {
			return 1;
		}

		@DistributedLock
		int throwsInt() {
			return 1;
		}

	}

	public static class Warned {

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(minHold = "1s")
		public void everySecond() {
		}

		@Scheduled(fixedRateString = "PT10S")
		@DistributedLock(minHold = "15s")
		public void byText() {
		}

		@Scheduled(cron = "0/10 * * * * *")
		@DistributedLock(minHold = "10s")
		public void byCron() {
		}

		@DistributedLock(name = "order-#id")
		public void literalName(long id) {
		}

		@Scheduled(fixedRate = 1000)
		@DistributedLock(minHold = "900ms")
		public void shorter() {
		}

		@Scheduled(cron = "0/10 * * * * *")
		@DistributedLock(minHold = "8s")
		public void byCronShorter() {
		}

		@Scheduled(fixedDelay = 1000)
		@DistributedLock(minHold = "1s")
		public void delayed() {
		}

		@Scheduled(cron = "${nowhere:-}")
		@DistributedLock(minHold = "1s")
		public void unreadable() {
		}

		@DistributedLock(name = "order-#1")
		public void otherName() {
		}

	}

	public static class ScheduledAndWaits {

		@Scheduled(fixedDelay = 1)
		@DistributedLock(waitTime = "3s")
		public void call() {
		}

	}

}
