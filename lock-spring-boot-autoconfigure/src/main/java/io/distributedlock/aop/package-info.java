/**
 * Puts a lock around annotated methods.
 */
@NullMarked
package io.distributedlock.aop;

import org.jspecify.annotations.NullMarked;
