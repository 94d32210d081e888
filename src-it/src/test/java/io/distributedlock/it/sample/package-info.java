/**
 * The sample application in processes of its own.
 */
@NullMarked
package io.distributedlock.it.sample;

import org.jspecify.annotations.NullMarked;
