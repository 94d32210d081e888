package io.distributedlock.integration;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;

/**
 * What an application has of the locks, in the eyes of the registry's contract.
 *
 * @param registry the registry
 * @param template the template over the same store
 * @param locks looks at the same store
 * @param end ends the application
 * @since 0.1.0
 */
public record RegistryClient(LeaseLockRegistry registry, LockTemplate template, Locks locks, Runnable end) {
}
