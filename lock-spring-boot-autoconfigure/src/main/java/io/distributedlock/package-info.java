/**
 * Application API: the annotation, the template, leases, exceptions and events.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
