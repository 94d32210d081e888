package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * Requests that are repeated when their connection is lost, until they are answered or
 * nobody waits for the answer any more. Only for what may be executed twice.
 *
 * @param sessions the sessions
 * @param clock the time
 */
record Calls(Sessions sessions, LockClock clock) {

	/**
	 * Ask in whatever session there is.
	 * @param timeout when nobody waits for the answer any more
	 * @param request sends it
	 */
	<T> CompletableFuture<T> within(Duration timeout, Function<Session, CompletableFuture<T>> request) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		bound(answer, timeout);
		send(null, request, answer);
		return answer;
	}

	/**
	 * Ask in one session.
	 * @param answer to be completed, also by others who no longer wait for it; with
	 * {@link Faults#isSessionEnd} when the session has ended
	 */
	<T> void in(Session session, Function<Session, CompletableFuture<T>> request, CompletableFuture<T> answer) {
		send(session, request, answer);
	}

	/**
	 * Let a stage fail when its time is over.
	 */
	void bound(CompletableFuture<?> answer, Duration timeout) {
		Timeout timer = this.clock.schedule(timeout, () -> answer.completeExceptionally(noAnswer(timeout)));
		answer.whenComplete((value, failure) -> timer.cancel());
	}

	static LockUnavailableException noAnswer(Duration timeout) {
		return new LockUnavailableException("No answer from ZooKeeper within " + timeout.toMillis() + " ms",
				new TimeoutException());
	}

	private <T> void send(@Nullable Session wanted, Function<Session, CompletableFuture<T>> request,
			CompletableFuture<T> answer) {
		if (answer.isDone()) {
			return;
		}
		if (wanted != null && wanted.isEnded()) {
			answer.completeExceptionally(Faults.sessionEnd());
			return;
		}
		this.sessions.connected(answer).thenAccept((session) -> {
			if (wanted != null && session != wanted) {
				answer.completeExceptionally(Faults.sessionEnd());
				return;
			}
			request.apply(session).whenComplete((value, fault) -> {
				if (fault == null) {
					answer.complete(value);
				}
				else if (Faults.isConnectionLoss(fault)) {
					send(wanted, request, answer);
				}
				else {
					if (Faults.isSessionEnd(fault)) {
						session.end();
					}
					answer.completeExceptionally(Faults.cause(fault));
				}
			});
		}).exceptionally((failure) -> {
			answer.completeExceptionally(failure);
			return null;
		});
	}

}
