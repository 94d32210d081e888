package io.distributedlock.aop;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for results whose work is not locked, which only the call shows.
 */
class LockedResultTests {

	static Stream<Object> deferredWork() {
		return Stream.of(new CompletableFuture<>(), new FutureTask<>(() -> 1), (Flow.Publisher<Object>) (s) -> {
		}, Stream.of(1), (Callable<Object>) () -> 1, (Supplier<Object>) () -> 1, (Runnable) () -> {
		}, new DeferredResult<>(), (StreamingResponseBody) (out) -> {
		}, Optional.of(new CompletableFuture<>()), ResponseEntity.ok((Callable<Object>) () -> 1));
	}

	@ParameterizedTest
	@MethodSource("deferredWork")
	void deferredWorkFailsTheCallAfterTheReleaseAndSaysThatItIsNotLocked(Object result) {
		LockedContext.runner(Work.class).run((context) -> {
			Work work = context.getBean(Work.class);

			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> work.anything(result))
				.withMessageStartingWith("@DistributedLock on " + Work.class.getName() + ".anything(Object): the method"
						+ " has returned a ")
				.withMessageContaining("whose work runs OUTSIDE of the lock");
			assertThat(context.getBean(RecordingScopes.class).log).last().asString().startsWith("close");
		});
	}

	@ParameterizedTest
	@MethodSource("deferredWork")
	void deferredWorkFailsTheCallOfAGenericMethod(Object result) {
		LockedContext.runner(Work.class)
			.run((context) -> assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> context.getBean(Work.class).same(result)));
	}

	@Test
	void futureBehindAnInterfaceOfTheApplicationFailsTheCall() {
		LockedContext.runner(Work.class)
			.run((context) -> assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> context.getBean(Work.class).ticket(new FutureTicket()))
				.withMessageContaining("has returned a " + FutureTicket.class.getTypeName()));
	}

	@Test
	void resultThatMayBeRunBesidesIsAResult() {
		LockedContext.runner(Work.class).run((context) -> {
			Work work = context.getBean(Work.class);

			assertThat(work.ticket(new RunnableTicket())).isInstanceOf(RunnableTicket.class);
			assertThat(work.anything(List.of(1))).isEqualTo(List.of(1));
			assertThat(work.anything(null)).isNull();
		});
	}

	@Test
	void resultThatMayBeRunBesidesIsAResultInAnOptional() {
		LockedContext.runner(Work.class)
			.run((context) -> assertThat(context.getBean(Work.class).find(new RunnableTicket())).isPresent());
	}

	interface Ticket {

	}

	static class FutureTicket extends CompletableFuture<String> implements Ticket {

	}

	static class RunnableTicket implements Ticket, Runnable {

		@Override
		public void run() {
		}

	}

	static class Work {

		@DistributedLock
		@Nullable Object anything(@Nullable Object result) {
			return result;
		}

		@DistributedLock
		<T> T same(T result) {
			return result;
		}

		@DistributedLock
		Ticket ticket(Ticket ticket) {
			return ticket;
		}

		@DistributedLock
		Optional<Ticket> find(Ticket ticket) {
			return Optional.of(ticket);
		}

	}

}
