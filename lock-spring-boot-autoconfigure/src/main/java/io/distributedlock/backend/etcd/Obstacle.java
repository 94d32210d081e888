package io.distributedlock.backend.etcd;

import java.time.Duration;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;

/**
 * What stood in a waiter's way when it looked last: the place before its own, or a
 * cooldown.
 *
 * @param name its name
 * @param leaseId the session that the place is attached to, zero for a cooldown
 * @param grace how long its holder may take to learn that its session was ended before
 * its time
 * @param goneAt the revision at which it went, zero where that is not known
 */
record Obstacle(ByteSequence name, long leaseId, Duration grace, long goneAt) {

	static Obstacle place(KeyValue place) {
		// A holder hears of it by its watch, and by its next sign of life at the latest,
		// which it sends each third of the ttl.
		Duration grace = PlaceValue.parse(place.getValue()).sessionTtl().dividedBy(2);
		return new Obstacle(place.getKey(), place.getLease(), grace, 0);
	}

	static Obstacle cooldown(KeyValue cooldown) {
		return new Obstacle(cooldown.getKey(), 0, Duration.ZERO, 0);
	}

	boolean isPlace() {
		return this.leaseId != 0;
	}

	Obstacle gone(long revision) {
		return new Obstacle(this.name, this.leaseId, this.grace, revision);
	}

}
