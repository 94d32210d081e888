package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The places that have left the queue but still count, for the node at one position.
 *
 * @param position the position of the node
 * @param places the places
 */
record VacatedPlaces(QueuePosition position, List<VacatedPlace> places) {

	/**
	 * Add cooldowns.
	 * @param rests their remaining times, which may be zero
	 */
	VacatedPlaces with(Map<CooldownNode, Duration> rests) {
		if (rests.isEmpty()) {
			return this;
		}
		List<VacatedPlace> all = new ArrayList<>(this.places);
		rests.forEach((cooldown, rest) -> {
			if (!rest.isZero()) {
				all.add(new VacatedPlace(cooldown.mode(), rest));
			}
		});
		return new VacatedPlaces(this.position, all);
	}

	/**
	 * Return how long these places exclude the node, or zero.
	 */
	Duration excludedFor() {
		if (this.places.isEmpty()) {
			return Duration.ZERO;
		}
		return this.places.stream()
			.filter((place) -> this.position.excludes(place.mode()))
			.map(VacatedPlace::rest)
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

	/**
	 * Return the time until the next of these places no longer counts.
	 */
	Duration untilNext() {
		return this.places.stream().map(VacatedPlace::rest).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

}
