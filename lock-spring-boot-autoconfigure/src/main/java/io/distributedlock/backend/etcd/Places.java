package io.distributedlock.backend.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendListener;

/**
 * The places in line that this JVM waits in or holds a lock by, from before they are put
 * there until they are given up.
 */
final class Places {

	private final Map<ByteSequence, Place> places = new ConcurrentHashMap<>();

	private final BackendListener losses;

	Places(BackendListener losses) {
		this.losses = losses;
	}

	void add(Place place) {
		this.places.put(place.name(), place);
	}

	/**
	 * Remove a place.
	 * @return {@code false} if it had been removed before
	 */
	boolean remove(Place place) {
		return this.places.remove(place.name(), place);
	}

	@Nullable Place find(ByteSequence name) {
		return this.places.get(name);
	}

	/**
	 * Return the place by which a lock is held that has such a name and revision.
	 */
	@Nullable Place findHeld(ByteSequence name, long revision) {
		Place place = this.places.get(name);
		return (place != null && place.isHeld() && place.revision() == revision) ? place : null;
	}

	boolean isAnyWaiting() {
		return this.places.values().stream().anyMatch((place) -> !place.isHeld());
	}

	/**
	 * Return the places that are waited in.
	 */
	List<Place> waiting() {
		List<Place> waiting = new ArrayList<>();
		this.places.values().forEach((place) -> {
			if (!place.isHeld()) {
				waiting.add(place);
			}
		});
		return waiting;
	}

	/**
	 * Give up what belongs to a session that is lost: holders are told at once, waiters
	 * look for a new place.
	 */
	void lose(Session session) {
		this.places.values().forEach((place) -> {
			if (place.session() == session) {
				lose(place);
			}
		});
	}

	/**
	 * Give up a place that no longer stands.
	 */
	void lose(Place place) {
		place.giveUp();
		this.places.remove(place.name(), place);
		if (place.isHeld()) {
			this.losses.leaseLost(place.ownerId());
		}
		else {
			place.wakeUp().run();
		}
	}

}
