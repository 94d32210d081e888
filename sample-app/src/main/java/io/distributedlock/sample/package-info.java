/**
 * A small application that locks its work on an embedded database.
 */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
