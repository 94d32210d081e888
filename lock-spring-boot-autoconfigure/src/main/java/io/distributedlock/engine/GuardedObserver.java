package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;

/**
 * Calls an observer so that its failures change nothing. The first failure is logged as a
 * warning; there may be one for each lock.
 *
 * @param delegate the observer
 * @param failed whether a failure was logged
 */
record GuardedObserver(LockObserver delegate, AtomicBoolean failed) implements LockObserver {

	private static final Logger logger = LoggerFactory.getLogger(GuardedObserver.class);

	/**
	 * Return an observer that never throws.
	 */
	static LockObserver of(LockObserver observer) {
		return (observer == NONE) ? NONE : new GuardedObserver(observer, new AtomicBoolean());
	}

	private void log(Throwable failure) {
		if (this.failed.compareAndSet(false, true)) {
			logger.warn("An observer of locks failed; further failures are logged as debug", failure);
		}
		else {
			logger.debug("An observer of locks failed", failure);
		}
	}

	@Override
	public Acquisition begin(String store, LockRequest request) {
		try {
			Acquisition begun = this.delegate.begin(store, request);
			return (begun == Acquisition.NONE) ? begun : new GuardedAcquisition(this, begun);
		}
		catch (Throwable ex) {
			log(ex);
			return Acquisition.NONE;
		}
	}

	private record GuardedAcquisition(GuardedObserver observer, Acquisition delegate) implements Acquisition {

		@Override
		public Hold acquired(Lease lease, boolean handedOver) {
			try {
				Hold hold = this.delegate.acquired(lease, handedOver);
				return (hold == Hold.NONE) ? hold : new GuardedHold(this.observer, hold);
			}
			catch (Throwable ex) {
				this.observer.log(ex);
				return Hold.NONE;
			}
		}

		@Override
		public void failed(Throwable failure) {
			try {
				this.delegate.failed(failure);
			}
			catch (Throwable ex) {
				this.observer.log(ex);
			}
		}

	}

	private record GuardedHold(GuardedObserver observer, Hold delegate) implements Hold {

		@Override
		public BodyScope openScope() {
			try {
				BodyScope scope = this.delegate.openScope();
				return () -> close(scope);
			}
			catch (Throwable ex) {
				this.observer.log(ex);
				return BodyScope.NONE;
			}
		}

		private void close(BodyScope scope) {
			try {
				scope.close();
			}
			catch (Throwable ex) {
				this.observer.log(ex);
			}
		}

		@Override
		public void end(@Nullable LossReason lossReason) {
			try {
				this.delegate.end(lossReason);
			}
			catch (Throwable ex) {
				this.observer.log(ex);
			}
		}

	}

}
