package io.distributedlock.engine;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.OwnerId;

/**
 * The owner ids of attempts. Generators of secure random numbers share a lock, for which
 * all threads would queue with every attempt. So each thread draws the bits of several
 * ids at once.
 * <p>
 * Bits are used within 100 ms by the wall clock, or never. If a machine is cloned while
 * it runs, or several processes are restored from one checkpoint, all of them have the
 * same bits, and two clients with the same owner id would hold a lock together. The wall
 * clock shows that time has passed meanwhile. The generators of the JDK keep bits from
 * the system for as long.
 */
final class OwnerIds {

	private static final int LENGTH = 16;

	private static final int LONGEST_MILLIS = 100;

	private static final int CAPACITY = Long.BYTES + 32 * LENGTH;

	private final RandomGenerator random;

	// The time when the bits were drawn, and the bits of the ids, from the position on
	// unused. A class of the JDK, so that threads that outlive the application don't
	// keep its classes.
	@SuppressWarnings("ThreadLocalUsage") // one per application
	private final ThreadLocal<ByteBuffer> bits = ThreadLocal
		.withInitial(() -> ByteBuffer.allocate(CAPACITY).position(CAPACITY));

	/**
	 * Create a source of owner ids.
	 * @param random a secure generator
	 */
	OwnerIds(RandomGenerator random) {
		this.random = random;
	}

	/**
	 * Return a new owner id.
	 * @param now the time
	 */
	OwnerId next(ClockReading now) {
		ByteBuffer unused = this.bits.get();
		long age = now.wallMillis() - unused.getLong(0);
		if (!unused.hasRemaining() || age < 0 || age >= LONGEST_MILLIS) {
			draw(unused, now.wallMillis());
		}
		int from = unused.position();
		unused.position(from + LENGTH);
		return new OwnerId(HexFormat.of().formatHex(unused.array(), from, from + LENGTH));
	}

	private void draw(ByteBuffer unused, long now) {
		// The position moves last: if a step fails, the next call draws again.
		unused.position(CAPACITY);
		this.random.nextBytes(unused.array());
		unused.putLong(0, now).position(Long.BYTES);
	}

}
