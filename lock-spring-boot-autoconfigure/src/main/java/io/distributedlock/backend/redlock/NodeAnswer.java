package io.distributedlock.backend.redlock;

/**
 * An answer of a node.
 *
 * @param value what it said
 * @param micros its TIME when it said so, in microseconds since 1970
 * @param <T> what is said
 */
record NodeAnswer<T>(T value, long micros) {
}
