/**
 * Guards that a protected resource uses to refuse writes with stale fencing tokens.
 */
@NullMarked
package io.distributedlock.fencing;

import org.jspecify.annotations.NullMarked;
