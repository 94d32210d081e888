package io.distributedlock.backend.zookeeper;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * The ids in the names of queue nodes. That of an exclusive node is the owner id of the
 * attempt. A node of a group has an id that shows its mode: a tag replaces the first 12
 * digits of the owner id. Versions that know no groups consider it an exclusive node and
 * wait for it.
 * <p>
 * Each method gives the same answer for an owner id and for the id made of it. 80 random
 * bits of a member's owner id are left. An exclusive node of an earlier version has a tag
 * by chance with a probability of 2<sup>-47</sup>.
 */
final class PlaceIds {

	// The first digits of the SHA-256 of "io.distributedlock shared" and "... permits".
	private static final String SHARED = "a283f5e6a07a";

	private static final String PERMITS = "9e423e40c5dc";

	private PlaceIds() {
	}

	static OwnerId of(LockTarget target, OwnerId ownerId) {
		return of(target.mode(), ownerId);
	}

	static OwnerId of(LockMode mode, OwnerId ownerId) {
		return switch (mode) {
			case SHARED -> tagged(SHARED, ownerId);
			case PERMITS -> tagged(PERMITS, ownerId);
			// No tag begins with a zero.
			case EXCLUSIVE -> (modeOf(ownerId) != mode) ? tagged("0", ownerId) : ownerId;
		};
	}

	private static OwnerId tagged(String tag, OwnerId ownerId) {
		return new OwnerId(tag + ownerId.value().substring(tag.length()));
	}

	static LockMode modeOf(OwnerId id) {
		if (id.value().startsWith(SHARED)) {
			return LockMode.SHARED;
		}
		return id.value().startsWith(PERMITS) ? LockMode.PERMITS : LockMode.EXCLUSIVE;
	}

}
