package io.distributedlock.epoch;

import java.time.Duration;
import java.time.Instant;

/**
 * The mark by which a store remembers its token epoch: the latest tick of a reserved key.
 * Stores grant a key only for a greater tick, so the mark never goes back.
 * <p>
 * The ticks lie between 1935 and 1953, before those of any schedule. Redlock's nodes,
 * which abstain from ticks that they may have forgotten, exempt ticks before 1970.
 *
 * @param level 0 after the look of an instance, 2e + 1 while epoch e is being raised, 2e
 * + 2 when it is in force
 * @param second when the mark was written, in seconds since 2020 by the clock of the
 * writer, so that it can be written again before the store forgets it; 0 for a look
 */
record EpochMark(int level, long second) {

	/**
	 * The least mark, which is granted only by a store without any mark.
	 */
	static final EpochMark LOOK = new EpochMark(0, 0);

	private static final long FIRST_TICK = -(1L << 40);

	private static final int BITS_OF_SECONDS = 31;

	private static final long MAX_SECOND = (1L << BITS_OF_SECONDS) - 1;

	private static final long ORIGIN_MILLIS = Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();

	static int raisingLevel(int epoch) {
		return 2 * epoch + 1;
	}

	static EpochMark raising(int epoch, long wallMillis) {
		return new EpochMark(raisingLevel(epoch), second(wallMillis));
	}

	static EpochMark inForce(int epoch, long wallMillis) {
		return new EpochMark(2 * epoch + 2, second(wallMillis));
	}

	private static long second(long wallMillis) {
		long second = Duration.ofMillis(wallMillis - ORIGIN_MILLIS).toSeconds();
		return Math.max(0, Math.min(second, MAX_SECOND));
	}

	static EpochMark of(Instant tick) {
		long number = tick.toEpochMilli() - FIRST_TICK;
		return new EpochMark((int) Math.min(number >> BITS_OF_SECONDS, Integer.MAX_VALUE), number & MAX_SECOND);
	}

	Instant tick() {
		return Instant.ofEpochMilli(FIRST_TICK + ((long) this.level << BITS_OF_SECONDS) + this.second);
	}

	/**
	 * Return the epoch that is in force or is being raised.
	 */
	int epoch() {
		return (this.level - 1) / 2;
	}

	boolean isLook() {
		return this.level == LOOK.level;
	}

	boolean isInForce() {
		return this.level > 0 && this.level % 2 == 0;
	}

}
