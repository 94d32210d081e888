/**
 * The published jars on the module path.
 */
@NullMarked
package io.distributedlock.it.modules;

import org.jspecify.annotations.NullMarked;
