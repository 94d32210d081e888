package io.distributedlock.backend.jdbc;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * The state of what a request wants to take.
 */
interface LockState {

	/**
	 * Return whether the request has been granted all of it.
	 * @param owner the owner id of the request
	 * @return whether that is the owner
	 */
	boolean isGrantedTo(OwnerId owner);

	/**
	 * Return the tokens that were granted.
	 * @param request the request
	 * @return a range for each key
	 */
	List<TokenRange> tokens(LeaseRequest request);

	/**
	 * Return whether this version can read all of it. If not, it counts as taken.
	 * @return whether it can
	 */
	boolean isKnown();

	/**
	 * Return the exception for what is not known.
	 * @param target what the request wants to take
	 * @param table the table
	 * @return the exception
	 */
	LockUnavailableException unknown(LockTarget target, String table);

	/**
	 * Return whether a tick has run.
	 * @param asked the requested tick, if any
	 * @return whether it, or a later one, has run
	 */
	boolean hasRun(@Nullable Instant asked);

	/**
	 * Return the last tick that has run.
	 * @return the tick, in ms since 1970, if any
	 */
	@Nullable Long tick();

	/**
	 * Return whether a group or a cooldown is in the way.
	 * @return whether a lock is taken and has no owner
	 */
	boolean isOwnerless();

	/**
	 * Return for how long it is still taken.
	 * @return the rest in ms; not positive if it is free
	 */
	long rest();

	/**
	 * Return how long ago what is in the way was granted.
	 * @return the age in ms
	 */
	long age();

}
