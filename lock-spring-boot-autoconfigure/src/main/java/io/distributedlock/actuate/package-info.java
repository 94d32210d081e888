/**
 * Health of the stores, the endpoint of the locks, and the audit of forced releases.
 */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
