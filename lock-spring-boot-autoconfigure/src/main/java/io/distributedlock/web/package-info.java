/**
 * Answers to web requests that fail with an exception of a lock.
 */
@NullMarked
package io.distributedlock.web;

import org.jspecify.annotations.NullMarked;
