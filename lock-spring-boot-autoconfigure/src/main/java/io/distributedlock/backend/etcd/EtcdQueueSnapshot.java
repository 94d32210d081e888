package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;

/**
 * The state of a queue in one transaction, at a single revision.
 *
 * @param revision the revision
 * @param own the create revision of the own entry, zero if it does not exist
 * @param ahead what stands before the own entry
 * @param tick the tick that ran last, or {@code null}
 * @param unknown an entry below the key that has no meaning for this version, or
 * {@code null}
 * @param sessions what was seen of the sessions that were asked for
 */
record EtcdQueueSnapshot(long revision, long own, EtcdQueueAhead ahead, @Nullable KeyValue tick,
		@Nullable KeyValue unknown, Map<Long, SessionSeen> sessions) {

	private static final Pattern TICK = Pattern.compile("-?\\d{1,18}\\|[0-9a-fA-F]{32}");

	EtcdQueueSnapshot withAhead(EtcdQueueAhead ahead) {
		return new EtcdQueueSnapshot(this.revision, this.own, ahead, this.tick, this.unknown, this.sessions);
	}

	/**
	 * Return an entry that this version does not understand, or {@code null}. The key is
	 * taken if there is one.
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
	 * @param owner the owner id of the request
	 */
	@Nullable Instant tickNotBefore(@Nullable Instant wanted, OwnerId owner) {
		if (wanted == null || this.tick == null || isTick(wanted, owner)) {
			return null;
		}
		Instant last = tickOf(this.tick);
		return last.isBefore(EtcdTicks.counted(wanted)) ? null : last;
	}

	/**
	 * Return whether a tick was written for an owner id and is the latest one.
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

	/**
	 * What was seen of a session.
	 *
	 * @param revision the revision that was asked for, zero for that of the snapshot
	 * @param lives whether it existed then
	 */
	record SessionSeen(long revision, boolean lives) {
	}

}
