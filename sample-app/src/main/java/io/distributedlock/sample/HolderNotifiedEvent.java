package io.distributedlock.sample;

/**
 * Published by a holder that was notified of the loss of its lease.
 *
 * @param order the order that it was working on
 * @param token the fencing token of the lost lease
 */
public record HolderNotifiedEvent(long order, long token) {

}
