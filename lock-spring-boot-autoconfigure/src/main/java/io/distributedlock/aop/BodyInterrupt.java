package io.distributedlock.aop;

import java.util.function.Consumer;

import io.distributedlock.Lease;

/**
 * Interrupts the thread that runs a body, once, when the body's lease is lost.
 * <p>
 * Loss and end of the body race. Both take this object's monitor: a loss that comes first
 * interrupts before the end looks, and the end takes the interrupt back; an end that
 * comes first is seen by the loss, which then interrupts nobody. So the interrupt never
 * meets what the thread does next.
 * <p>
 * A thread has one interrupt flag, whoever sets it. One that somebody else had set before
 * the loss is left alone, and stays. One that somebody else sets after the loss can't be
 * told from ours and is taken back with it.
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
