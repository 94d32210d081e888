/**
 * Several JVMs that share locks, what they write down, and the check that nobody held a
 * lock beside another.
 */
@NullMarked
package io.distributedlock.it.cluster;

import org.jspecify.annotations.NullMarked;
