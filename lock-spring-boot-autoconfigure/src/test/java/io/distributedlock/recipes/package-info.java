/**
 * Tests whose code the recipes of the documentation show.
 */
@NullMarked
package io.distributedlock.recipes;

import org.jspecify.annotations.NullMarked;
