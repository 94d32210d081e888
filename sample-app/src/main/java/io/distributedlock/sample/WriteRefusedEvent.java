package io.distributedlock.sample;

/**
 * Published if a write was refused because a later holder has written.
 *
 * @param order the order
 * @param token the fencing token of the refused write
 */
public record WriteRefusedEvent(long order, long token) {

}
