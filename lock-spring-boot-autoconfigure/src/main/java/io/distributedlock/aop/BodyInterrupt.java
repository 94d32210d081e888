package io.distributedlock.aop;

import java.util.function.Consumer;

import io.distributedlock.Lease;

/**
 * Interrupts the thread that runs a body, once, when the body's lease is lost.
 * <p>
 * Loss and end of the body race, and both take this object's monitor. If the loss comes
 * first, it interrupts the thread, and the end clears the interrupt. If the end comes
 * first, the loss sees it and does not interrupt. So the interrupt never reaches what the
 * thread does next.
 * <p>
 * A thread has a single interrupt flag. If other code had set it before the loss, it
 * stays set. If other code sets it after the loss, it can't be distinguished from ours
 * and is cleared with it.
 */
final class BodyInterrupt implements Consumer<Lease> {

	private final Thread body = Thread.currentThread();

	// Guarded by this.
	private State state = State.RUNNING;

	/**
	 * The lease was lost.
	 */
	@Override
	public synchronized void accept(Lease lease) {
		if (this.state == State.RUNNING && !this.body.isInterrupted()) {
			this.body.interrupt();
			this.state = State.INTERRUPTED;
		}
		else if (this.state == State.RUNNING) {
			this.state = State.INTERRUPTED_BY_OTHERS;
		}
	}

	/**
	 * The body has ended; to be called on its thread.
	 */
	synchronized void end() {
		if (this.state == State.INTERRUPTED) {
			Thread.interrupted();
		}
		this.state = State.ENDED;
	}

	private enum State {

		RUNNING, INTERRUPTED, INTERRUPTED_BY_OTHERS, ENDED

	}

}
