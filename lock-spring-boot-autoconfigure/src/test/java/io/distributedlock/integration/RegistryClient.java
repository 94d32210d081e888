package io.distributedlock.integration;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;

/**
 * The locks of an application, as the registry's contract uses them.
 *
 * @param registry the registry
 * @param template the template over the same store
 * @param locks the view of the same store
 * @param end ends the application
 * @since 0.1.0
 */
public record RegistryClient(LeaseLockRegistry registry, LockTemplate template, Locks locks, Runnable end) {
}
