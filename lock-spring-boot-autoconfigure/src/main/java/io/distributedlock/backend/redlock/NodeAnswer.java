package io.distributedlock.backend.redlock;

/**
 * An answer of a node.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param value the value
 * @param micros the node's TIME at the answer, in microseconds since 1970
 * @param <T> the type of the value
 * @since 0.1.0
 */
public record NodeAnswer<T>(T value, long micros) {
}
