package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.zookeeper.QueuePlace.Blocked;
import io.distributedlock.spi.LockTarget;

/**
 * The places of an attempt, one for each of its keys, as a look shows them. The attempt
 * has the locks if nothing is before it at any of them.
 *
 * @param queues the queues, in the order of the keys
 * @param all the places in the same order, without those that are gone
 */
record QueuePlaces(List<QueueListing> queues, List<QueuePlace> all) {

	/**
	 * Find the places of the nodes of a request.
	 * @param permits the permits of the request
	 */
	static QueuePlaces of(OwnQueueNode node, List<QueueListing> queues, ZooKeeperContender contender, int permits) {
		List<OwnQueueNode> nodes = node.all();
		List<QueuePlace> places = new ArrayList<>(nodes.size());
		for (int i = 0; i < nodes.size(); i++) {
			OwnQueueNode one = nodes.get(i);
			QueueListing queue = queues.get(i);
			if (queue.contains(one.name())) {
				QueuePosition position = queue.position(one.name(), contender.target().mode(), permits);
				places.add(new QueuePlace(one, queue, position, contender.predecessors().get(i)));
			}
		}
		return new QueuePlaces(queues, places);
	}

	/**
	 * Return whether no place is gone.
	 */
	boolean isComplete() {
		return this.all.size() == this.queues.size();
	}

	/**
	 * Return the queue for the last key, which has the ticks.
	 */
	QueueListing last() {
		return this.queues.get(this.queues.size() - 1);
	}

	/**
	 * Return the reason why this version can't determine the holder of one of the keys,
	 * or {@code null}.
	 */
	@Nullable LockUnavailableException takenByUnknown(LockTarget target) {
		for (int i = 0; i < this.queues.size(); i++) {
			LockUnavailableException unknown = this.queues.get(i).takenByUnknown(target.keys().get(i));
			if (unknown != null) {
				return unknown;
			}
		}
		return null;
	}

	/**
	 * Return the places at which others keep the attempt from having the locks.
	 */
	List<Blocked> blocked() {
		return this.all.stream().flatMap((place) -> place.blocked(0).stream()).toList();
	}

	/**
	 * Return the same for places without others before them, at which permits may be
	 * taken by places that have left the queue.
	 * @param vacated these places
	 */
	List<Blocked> blocked(List<VacatedPlaces> vacated) {
		return IntStream.range(0, vacated.size())
			.boxed()
			.flatMap((i) -> this.all.get(i).blocked(vacated.get(i).places().size()).stream())
			.toList();
	}

	/**
	 * Return the places before each of these that are gone with their sessions, whose
	 * former holders may still consider their leases valid.
	 */
	List<VacatedPlaces> vacated(long now) {
		return this.all.stream()
			.map((place) -> new VacatedPlaces(place.position(), place.predecessors().vacated(now)))
			.toList();
	}

	/**
	 * Return the same together with cooldowns.
	 * @param rests the remaining time of each cooldown
	 */
	static List<VacatedPlaces> with(List<VacatedPlaces> vacated, List<Map<CooldownNode, Duration>> rests) {
		return IntStream.range(0, vacated.size()).mapToObj((i) -> vacated.get(i).with(rests.get(i))).toList();
	}

	/**
	 * Return how long places that have left the queues exclude the attempt, or zero.
	 */
	static Duration excludedFor(List<VacatedPlaces> vacated) {
		return vacated.stream().map(VacatedPlaces::excludedFor).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	/**
	 * Return the time until the next of these places no longer counts.
	 */
	static Duration untilNext(List<VacatedPlaces> vacated) {
		return vacated.stream()
			.filter((places) -> !places.places().isEmpty())
			.map(VacatedPlaces::untilNext)
			.min(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

}
