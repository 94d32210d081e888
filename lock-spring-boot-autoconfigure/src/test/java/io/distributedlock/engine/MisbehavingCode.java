package io.distributedlock.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A callback that throws or blocks. If it blocks, it does so until it is closed.
 */
final class MisbehavingCode implements Runnable, AutoCloseable {

	private final Misbehaviour misbehaviour;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final AtomicInteger calls = new AtomicInteger();

	private volatile boolean reformed;

	MisbehavingCode(Misbehaviour misbehaviour) {
		this.misbehaviour = misbehaviour;
	}

	@Override
	public void run() {
		if (this.reformed) {
			return;
		}
		this.calls.incrementAndGet();
		this.misbehaviour.throwIt();
		if (this.misbehaviour == Misbehaviour.BLOCKS) {
			block();
		}
	}

	private void block() {
		while (true) {
			try {
				this.closed.await();
				return;
			}
			catch (InterruptedException ex) {
				// Interrupts do not end it, because the engine must not rely on that.
			}
		}
	}

	Misbehaviour misbehaviour() {
		return this.misbehaviour;
	}

	/**
	 * Return how many times it has misbehaved.
	 */
	int calls() {
		return this.calls.get();
	}

	/**
	 * Stop misbehaving. Calls that block continue to block.
	 */
	void reform() {
		this.reformed = true;
	}

	boolean isReformed() {
		return this.reformed;
	}

	@Override
	public void close() {
		this.closed.countDown();
	}

}
