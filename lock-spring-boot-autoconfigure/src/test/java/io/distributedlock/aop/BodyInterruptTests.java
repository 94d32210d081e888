package io.distributedlock.aop;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BodyInterrupt}.
 */
class BodyInterruptTests {

	private final RecordedLease lease = new RecordedLease(LockRequest.of("a"));

	private final BodyInterrupt interrupt = new BodyInterrupt();

	@AfterEach
	void clear() {
		Thread.interrupted();
	}

	@Test
	void interruptsTheThreadThatMadeIt() throws InterruptedException {
		Thread other = new Thread(() -> this.interrupt.accept(this.lease));
		other.start();
		joinUninterruptibly(other);

		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	private static void joinUninterruptibly(Thread thread) {
		boolean interrupted = false;
		while (thread.isAlive()) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void interruptsOnce() {
		this.interrupt.accept(this.lease);
		Thread.interrupted();
		this.interrupt.accept(this.lease);

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void takesItsOwnInterruptBackAtTheEnd() {
		this.interrupt.accept(this.lease);
		this.interrupt.end();

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void takesItBackWhenTheBodyHasSetItAgain() {
		this.interrupt.accept(this.lease);
		Thread.interrupted();
		Thread.currentThread().interrupt();
		this.interrupt.end();

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void keepsTheInterruptOfOthersFromBeforeTheLoss() {
		Thread.currentThread().interrupt();
		this.interrupt.accept(this.lease);
		this.interrupt.end();

		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void keepsTheInterruptOfOthersWithoutALoss() {
		Thread.currentThread().interrupt();
		this.interrupt.end();

		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void aLossAfterTheEndDoesNotInterrupt() {
		this.interrupt.end();
		this.interrupt.accept(this.lease);

		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void noInterruptLeaksHoweverLossAndEndMeet() throws InterruptedException, ExecutionException {
		ExecutorService pool = Executors.newFixedThreadPool(2);
		try {
			for (int round = 0; round < 2_000; round++) {
				CyclicBarrier start = new CyclicBarrier(2);
				CyclicBarrier ready = new CyclicBarrier(2);
				AtomicBoolean over = new AtomicBoolean();
				BodyInterrupt[] made = new BodyInterrupt[1];
				Future<Boolean> body = pool.submit(() -> {
					made[0] = new BodyInterrupt();
					ready.await();
					startIgnoringInterrupts(start);
					made[0].end();
					while (!over.get()) {
						Thread.onSpinWait();
					}
					return Thread.currentThread().isInterrupted();
				});
				Future<?> loss = pool.submit(() -> {
					ready.await();
					start.await();
					made[0].accept(this.lease);
					over.set(true);
					return null;
				});
				loss.get();
				assertThat(body.get()).as("round " + round).isFalse();
			}
		}
		finally {
			pool.shutdownNow();
		}
	}

	private static void startIgnoringInterrupts(CyclicBarrier start) {
		try {
			start.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			// The loss came before the body had left the barrier.
		}
	}

}
