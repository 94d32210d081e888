package io.distributedlock.backend.redlock;

/**
 * An answer of a node.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param value what it said
 * @param micros its TIME when it said so, in microseconds since 1970
 * @param <T> what is said
 * @since 0.1.0
 */
public record NodeAnswer<T>(T value, long micros) {
}
