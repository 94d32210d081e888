package io.distributedlock.contract;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Acquiring through the engine: which caller gets the lock, and when and why the others
 * are refused.
 */
abstract class EngineAcquisitionContract extends EnginePart {

	private static final Duration WAIT_TIME = Duration.ofMillis(300);

	/**
	 * The longest pause between attempts at a store that can't be asked.
	 */
	private static final Duration BACKOFF = Duration.ofSeconds(1);

	private final String key = newKey();

	private final AtomicInteger bodies = new AtomicInteger();

	@Test
	void tryOnAFreeLockSucceedsEveryTime() {
		for (int i = 0; i < 100; i++) {
			EngineClient engine = (i % 3 == 0) ? there() : here();

			Optional<Lease> lease = engine.template().tryAcquire(this.key);

			assertThat(lease).as("try %d, on a free lock", i).isPresent();
			assertThat(lease.get().release()).as("release %d", i).isTrue();
		}
	}

	@Test
	void tryOnALockThatAnotherEngineHoldsIsBusy() {
		acquire(there(), this.key);

		boolean ran = here().template().tryExecuteWithoutResult(this.key, (lease) -> this.bodies.incrementAndGet());

		assertThat(ran).isFalse();
		assertThat(this.bodies).hasValue(0);
	}

	@Test
	void keyIsShownWithoutItsControlCharacters() {
		String id = newKey();
		String odd = id + "\n\u001b[31m\r\u2028\u0085\u202eend";
		List<String> shown = new ArrayList<>();
		try (CapturedLog log = CapturedLog.atDebug("io.distributedlock")) {
			Lease lease = acquire(there(), odd);
			shown.add(lease.toString());
			shown.add(trace(() -> acquire(here(), odd)));
			shown.add(await(here().store().find(odd)).orElseThrow().toString());
			shown.add(await(ListedLocks.all(here().store())).toString());
			assertThat(here().locks().forceRelease(odd)).isTrue();
			shown.add(trace(lease::verify));
			cutOff(here());
			shown.add(trace(() -> acquire(here(), odd)));

			assertThat(shown).allMatch((text) -> text.contains(id + "\\n\\u001b[31m\\r\\u2028\\u0085\\u202eend"));
			log.lines().forEach((line) -> shown.add(line.toString()));
			assertThat(shown).noneMatch((text) -> text.contains(id + "\n"))
				.noneMatch((text) -> text.matches("(?s).*[\u001b\r\u2028\u0085\u202e].*"));
		}
	}

	private static String trace(Runnable call) {
		StringWriter trace = new StringWriter();
		assertThatException().isThrownBy(call::run).satisfies((ex) -> ex.printStackTrace(new PrintWriter(trace)));
		return trace.toString();
	}

	@Test
	void waitForALockThatAnotherEngineHoldsEndsBusy() {
		acquire(there(), this.key);

		Duration waitTime = WAIT_TIME;
		while (!isBusyWhereHeard(waitTime)) {
			// This machine or the store stood still. A waiter without an answer does not
			// know that the lock is busy.
			assertThat(waitTime).as("a wait in which the store does not answer").isLessThan(CALL_TIMEOUT);
			waitTime = waitTime.multipliedBy(2);
		}

		assertThat(here().news().busyAfter()).isBetween(waitTime, waitTime.plus(OVERTIME).plus(soon()));
		assertThat(this.bodies).hasValue(0);
	}

	/**
	 * Wait for the lock, which ends busy if the store has answered in time, and return
	 * whether it has.
	 */
	private boolean isBusyWhereHeard(Duration waitTime) {
		CompletableFuture<Long> answer = here().store().nextAnswer();
		long before = now();
		Throwable failure = failure(execute(waitTime).result());
		boolean heard = await(answer) - before < waitTime.toNanos();
		if (heard) {
			assertThat(failure).isInstanceOf(LockBusyException.class);
		}
		return heard || failure instanceof LockBusyException;
	}

	@Test
	void tryOfAnEngineThatIsCutOffIsUnavailable() {
		assumeCutOff();
		acquire(there(), this.key);
		cutOff(here());

		Caller<?> caller = execute(Duration.ZERO);

		assertThat(failure(caller.result())).isInstanceOf(LockUnavailableException.class);
		assertThat(here().news().unavailableAfter()).isLessThanOrEqualTo(OVERTIME.plus(soon()));
		assertThat(this.bodies).hasValue(0);
	}

	@Test
	void waitOfAnEngineThatIsCutOffIsUnavailableWhenItsTimeIsOver() {
		assumeCutOff();
		acquire(there(), this.key);
		cutOff(here());

		Caller<?> caller = execute(WAIT_TIME);

		assertThat(failure(caller.result())).isInstanceOf(LockUnavailableException.class);
		assertThat(here().news().unavailableAfter()).isBetween(WAIT_TIME, WAIT_TIME.plus(OVERTIME).plus(soon()));
		assertThat(caller.took()).as("real time of the call")
			.isLessThan(WAIT_TIME.plus(OVERTIME).plus(soon()).plusSeconds(5));
		assertThat(this.bodies).hasValue(0);
	}

	/**
	 * A wait can end busy only by an answer of the store during that wait.
	 */
	@Test
	void noWaiterEndsBusyByAnswersFromBeforeTheCut() {
		assumeCutOff();
		acquire(there(), this.key);
		CompletableFuture<Long> answer = here().store().nextAnswer();
		CompletableFuture<?> ahead = here().template().acquireAsync(patient(this.key)).toCompletableFuture();
		await(answer);
		cutOff(here());

		Throwable failure;
		int answered;
		do {
			answered = here().store().busy();
			failure = failure(execute(Duration.ZERO).result());
			// Requests that were under way at the cut may still be answered.
		}
		while (failure instanceof LockBusyException && here().store().busy() > answered);

		assertThat(failure).isInstanceOf(LockUnavailableException.class);
		assertThat(failure(execute(WAIT_TIME).result())).isInstanceOf(LockUnavailableException.class);
		assertThat(this.bodies).hasValue(0);
		ahead.cancel(true);
	}

	@Test
	void nextCallAfterACutWorks() {
		assumeCutOff();
		cutOff(here());
		failure(execute(Duration.ZERO).result());
		failure(execute(WAIT_TIME).result());

		restore(here().client());

		assertThat(here().template().tryAcquire(newKey())).isPresent();
		await(here().template().acquireAsync(patient(this.key)));
	}

	@Test
	void waiterSitsACutOut() {
		assumeCutOff();
		cutOff(here());
		int before = here().store().answers();
		CompletableFuture<Lease> waiting = here().template().acquireAsync(patient(this.key)).toCompletableFuture();
		until("an attempt fails", () -> here().store().answers() > before);

		restore(here().client());
		long restoredAt = now();

		await(waiting);
		assertThat(grantedAfter(here(), restoredAt)).isLessThanOrEqualTo(BACKOFF.plus(soon()));
	}

	@Test
	void waiterIsServedSoonAfterAnotherEngineHasReleased() {
		Lease lease = acquire(there(), this.key);
		Caller<Lease> waiter = Caller.of(() -> here().template().acquire(patient(this.key)));
		until("the waiter has found the lock busy", () -> here().store().answers() > 0);

		lease.release();
		long releasedAt = now();

		assertThat(await(waiter.result()).fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(grantedAfter(here(), releasedAt)).isLessThanOrEqualTo(soon());
	}

	@Test
	void asynchronousWaiterIsServedSoonAfterAnotherEngineHasReleased() {
		Lease lease = acquire(there(), this.key);
		CompletableFuture<Lease> waiting = here().template().acquireAsync(patient(this.key)).toCompletableFuture();
		until("the waiter has found the lock busy", () -> here().store().answers() > 0);

		lease.release();
		long releasedAt = now();

		assertThat(await(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(grantedAfter(here(), releasedAt)).isLessThanOrEqualTo(soon());
	}

	@Test
	void waiterIsServedSoonAfterTheLeaseOfACrashedHolderRanOut() {
		assumeLeasesHaveTheirOwnTtl();
		long before = now();
		acquire(second(), this.key, briefTtl());
		CompletableFuture<Lease> waiting = here().template().acquireAsync(patient(this.key)).toCompletableFuture();

		await(waiting);

		Duration expected = briefTtl();
		assertThat(grantedAfter(here(), before)).isBetween(expected.minus(LockClock.driftAllowance(expected)),
				expected.plus(soon()));
	}

	private Caller<?> execute(Duration waitTime) {
		return Caller.of(() -> here().template()
			.execute(patient(this.key).waitTime(waitTime), (lease) -> this.bodies.incrementAndGet()));
	}

	private static Duration grantedAfter(EngineClient engine, long since) {
		return Duration.ofNanos(engine.store().grantedAt() - since);
	}

}
