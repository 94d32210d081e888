/**
 * Faults of the network between a client and a server.
 */
@NullMarked
package io.distributedlock.it.net;

import org.jspecify.annotations.NullMarked;
