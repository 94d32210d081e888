/**
 * Health, endpoint and metrics of applications whose stores are up, slow and down.
 */
@NullMarked
package io.distributedlock.it.operations;

import org.jspecify.annotations.NullMarked;
