package io.distributedlock.it.cluster;

import java.util.List;
import java.util.Random;

import io.distributedlock.LockRequest;

/**
 * Draws the requests of one thread at random.
 */
final class ClusterRequests {

	private final ClusterProperties properties;

	private final Random random;

	ClusterRequests(ClusterProperties properties, Random random) {
		this.properties = properties;
		this.random = random;
	}

	/**
	 * Return the next request.
	 * @param round its number; if there are sets of keys, every second request is for one
	 */
	Drawn next(int round) {
		List<String> sets = this.properties.sets();
		List<String> keys = (!sets.isEmpty() && round % 2 == 0) ? List.of(any(sets).split("\\+"))
				: List.of(any(this.properties.keys()));
		RequestedMode mode = any(this.properties.modes().getOrDefault(keys.get(0), List.of(RequestedMode.EXCLUSIVE)));
		LockRequest request = (keys.size() == 1) ? LockRequest.of(keys.get(0)) : LockRequest.of(keys);
		return new Drawn(mode.applyTo(request.waitTime(this.properties.waitTime())), mode);
	}

	private <T> T any(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	/**
	 * A request.
	 *
	 * @param request the request
	 * @param mode its mode
	 */
	record Drawn(LockRequest request, RequestedMode mode) {
	}

}
