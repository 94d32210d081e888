package io.distributedlock.backend.redlock;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Provides random numbers, so that clients that met do not stay in step.
 *
 * @param source supplies the generator of the calling thread
 */
record RandomSource(Supplier<? extends RandomGenerator> source) {

	static RandomSource ofThreads() {
		return new RandomSource(ThreadLocalRandom::current);
	}

	/**
	 * Return a number from zero to less than a bound.
	 */
	long below(long bound) {
		return (bound > 0) ? this.source.get().nextLong(bound) : 0;
	}

	/**
	 * Return a random text that no other client has.
	 */
	String nonce() {
		RandomGenerator generator = this.source.get();
		return Long.toHexString(generator.nextLong()) + Long.toHexString(generator.nextLong());
	}

}
