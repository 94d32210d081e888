package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * The ways to lock.
 */
enum Entry {

	LOCK {

		@Override
		boolean into(DistributedLock lock) {
			lock.lock();
			return true;
		}

	},

	LOCK_INTERRUPTIBLY {

		@Override
		boolean into(DistributedLock lock) throws InterruptedException {
			lock.lockInterruptibly();
			return true;
		}

	},

	LOCK_WITH_TTL {

		@Override
		boolean into(DistributedLock lock) {
			lock.lock(Duration.ofSeconds(20));
			return true;
		}

	},

	TRY {

		@Override
		boolean into(DistributedLock lock) {
			return lock.tryLock();
		}

	},

	TRY_WITH_TIME {

		@Override
		boolean into(DistributedLock lock) throws InterruptedException {
			return lock.tryLock(30, TimeUnit.SECONDS);
		}

	},

	TRY_WITH_TTL {

		@Override
		boolean into(DistributedLock lock) throws InterruptedException {
			return lock.tryLock(Duration.ofSeconds(30), Duration.ofSeconds(20));
		}

	};

	/**
	 * Lock a free lock.
	 * @return whether it was locked
	 */
	abstract boolean into(DistributedLock lock) throws InterruptedException;

}
