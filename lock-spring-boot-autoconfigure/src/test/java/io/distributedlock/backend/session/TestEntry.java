package io.distributedlock.backend.session;

import java.util.List;

import io.distributedlock.spi.OwnerId;

/**
 * An entry that remembers when it was woken.
 *
 * @param ownerId the owner id
 * @param woken receives the owner ids of the entries that are woken
 */
record TestEntry(OwnerId ownerId, List<OwnerId> woken) implements SessionEntry {

	@Override
	public long firstToken() {
		return SessionEntry.firstToken(7);
	}

	@Override
	public void wakeUp() {
		this.woken.add(this.ownerId);
	}

}
