package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.regex.Pattern;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;

/**
 * What one transaction showed of a queue, all at the same revision.
 *
 * @param revision the revision
 * @param own the create revision of the own entry, zero if it does not stand
 * @param predecessor what is in the way, if anything is: the entry before the own one, or
 * a cooldown
 * @param tick the tick that has run last, if any
 * @param unknown what stands below the key and has no meaning for this version, if
 * anything does
 * @param predecessorVanished whether who stood there before has gone together with its
 * session
 */
record EtcdQueueSnapshot(long revision, long own, @Nullable EtcdPredecessor predecessor, @Nullable KeyValue tick,
		@Nullable KeyValue unknown, boolean predecessorVanished) {

	private static final Pattern TICK = Pattern.compile("-?\\d{1,18}\\|[0-9a-fA-F]{32}");

	/**
	 * Return what was found that this version does not understand, if anything was. The
	 * key is taken then.
	 * @param wanted the tick whose run is asked for, if any
	 */
	@Nullable KeyValue notUnderstood(@Nullable Instant wanted) {
		if (this.unknown != null) {
			return this.unknown;
		}
		return (wanted != null && this.tick != null && !TICK.matcher(text(this.tick)).matches()) ? this.tick : null;
	}

	/**
	 * Return the tick that forbids the run of another one.
	 * @param wanted the tick whose run is asked for, if any
	 * @param owner who asks for it
	 */
	@Nullable Instant tickNotBefore(@Nullable Instant wanted, OwnerId owner) {
		if (wanted == null || this.tick == null || isTick(wanted, owner)) {
			return null;
		}
		Instant last = tickOf(this.tick);
		return last.isBefore(EtcdTicks.counted(wanted)) ? null : last;
	}

	/**
	 * Return whether a tick was written for an owner id, and none after it.
	 */
	boolean isTick(Instant wanted, OwnerId owner) {
		return this.tick != null && text(this.tick).equals(EtcdTicks.text(wanted, owner));
	}

	private static Instant tickOf(KeyValue tick) {
		String text = text(tick);
		return Instant.ofEpochMilli(Long.parseLong(text.substring(0, text.indexOf('|'))));
	}

	private static String text(KeyValue entry) {
		return entry.getValue().toString(StandardCharsets.UTF_8);
	}

}
