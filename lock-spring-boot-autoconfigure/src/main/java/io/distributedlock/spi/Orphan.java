package io.distributedlock.spi;

/**
 * An attempt that ended without a grant and whose outcome is unknown.
 *
 * @param target what it asked for
 * @param ownerId its owner id
 * @since 0.1.0
 */
public record Orphan(LockTarget target, OwnerId ownerId) {
}
