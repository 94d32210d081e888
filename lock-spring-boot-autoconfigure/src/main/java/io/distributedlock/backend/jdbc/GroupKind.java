package io.distributedlock.backend.jdbc;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LockTarget;

/**
 * The kind of a group. While a group has a key, the key's row has no owner, and the kind
 * takes the place of the instance.
 */
enum GroupKind {

	/**
	 * Any number of members.
	 */
	SHARED(LockMode.SHARED, "shared"),

	/**
	 * At most as many members as each of them has asked for.
	 */
	PERMITS(LockMode.PERMITS, "permits");

	private final LockMode mode;

	private final String stored;

	GroupKind(LockMode mode, String stored) {
		this.mode = mode;
		this.stored = stored;
	}

	static GroupKind of(LockTarget target) {
		return (target.mode() == LockMode.SHARED) ? SHARED : PERMITS;
	}

	/**
	 * Return the kind of a row.
	 * @param stored the text in the row
	 * @return the kind, or {@code null} if this version does not know it
	 */
	static @Nullable GroupKind of(String stored) {
		return Arrays.stream(values()).filter((kind) -> kind.stored.equals(stored)).findFirst().orElse(null);
	}

	LockMode mode() {
		return this.mode;
	}

	/**
	 * Return the text that stands for the kind in a row.
	 * @return the text
	 */
	String stored() {
		return this.stored;
	}

}
