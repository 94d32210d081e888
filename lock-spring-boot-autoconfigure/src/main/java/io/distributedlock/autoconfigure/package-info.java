/**
 * Spring Boot's auto-configuration of the locks.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
