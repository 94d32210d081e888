/**
 * Recipes of the documentation that need real servers.
 */
@NullMarked
package io.distributedlock.it.recipes;

import org.jspecify.annotations.NullMarked;
