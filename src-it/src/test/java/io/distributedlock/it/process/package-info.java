/**
 * Other JVMs that a test starts, watches and kills.
 */
@NullMarked
package io.distributedlock.it.process;

import org.jspecify.annotations.NullMarked;
