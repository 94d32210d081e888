package io.distributedlock.backend.zookeeper;

import java.time.Duration;

import io.distributedlock.LockMode;

/**
 * A place that has left the queue but still counts: its cooldown runs, or its session has
 * ended and its holder may not know that yet.
 *
 * @param mode its mode
 * @param rest how long it still counts, more than zero
 */
record VacatedPlace(LockMode mode, Duration rest) {
}
