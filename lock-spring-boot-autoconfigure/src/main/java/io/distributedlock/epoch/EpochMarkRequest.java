package io.distributedlock.epoch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Asks a store to write a mark, which it does unless it has an equal or a greater one.
 * The granted lock is released before the answer counts.
 */
final class EpochMarkRequest {

	private static final Logger logger = LoggerFactory.getLogger(EpochMarkRequest.class);

	private static final LockTarget TARGET = LockTarget.exclusive(TokenEpochBackend.KEY);

	private static final Duration TTL = Duration.ofSeconds(10);

	private final String store;

	private final BackendConnection connection;

	/**
	 * Create a request.
	 * @param store the name of the store in errors
	 * @param connection the connection to the store
	 */
	EpochMarkRequest(String store, BackendConnection connection) {
		this.store = store;
		this.connection = connection;
	}

	String store() {
		return this.store;
	}

	/**
	 * Return the exception for a store that does not answer.
	 */
	LockUnavailableException unanswered(Duration timeout) {
		return new LockUnavailableException("The store '" + this.store + "' did not report its token epoch within "
				+ timeout.plusNanos(999_999).toMillis() + " ms");
	}

	/**
	 * Ask the store once.
	 * @param mark the mark
	 * @param timeout how long the store may take for each call
	 * @param granted called when the store has written the mark, regardless of the
	 * release
	 * @return granted, once the store has answered the release; busy; done, with the mark
	 * of the store; or unavailable; never completed exceptionally
	 */
	CompletionStage<AttemptOutcome> ask(EpochMark mark, Duration timeout, Runnable granted) {
		OwnerId ownerId = OwnerId.random();
		LeaseRequest request = new LeaseRequest(ownerId, ttl(), 1, mark.tick(), false, timeout, Duration.ZERO);
		try {
			Contender contender = this.connection.contend(TARGET, () -> {
			});
			return contender.attempt(request).handle((outcome, failure) -> {
				AttemptOutcome ended = (outcome != null) ? outcome : unanswered(failure);
				if (ended instanceof AttemptOutcome.Granted grant) {
					granted.run();
					return release(grant.grant(), ended);
				}
				contender.withdraw();
				abandonIfSent(ended, ownerId);
				return CompletableFuture.completedStage(ended);
			}).thenCompose((ended) -> ended).exceptionally(EpochMarkRequest::unanswered);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.completedStage(unanswered(ex));
		}
	}

	private Duration ttl() {
		BackendTraits traits = this.connection.traits();
		Duration atLeast = (TTL.compareTo(traits.minTtl()) < 0) ? traits.minTtl() : TTL;
		Duration most = traits.maxTtl();
		return (most != null && most.compareTo(atLeast) < 0) ? most : atLeast;
	}

	private CompletionStage<AttemptOutcome> release(LeaseGrant grant, AttemptOutcome granted) {
		return this.connection.release(grant, Duration.ZERO).handle((stood, failure) -> {
			if (failure != null) {
				abandon(grant.ownerId());
				return unanswered(failure);
			}
			return granted;
		});
	}

	private void abandonIfSent(AttemptOutcome outcome, OwnerId ownerId) {
		if (outcome instanceof AttemptOutcome.Unavailable unavailable && unavailable.sent()) {
			abandon(ownerId);
		}
	}

	/**
	 * Abandon an attempt. Once is enough, because a lease that remains expires within
	 * seconds.
	 */
	private void abandon(OwnerId ownerId) {
		this.connection.abandon(List.of(new Orphan(TARGET, ownerId))).whenComplete((done, failure) -> {
			if (failure != null) {
				logger.debug("A request for the token epoch could not be abandoned", failure);
			}
		});
	}

	private static AttemptOutcome unanswered(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? CompletionCauses.unwrap(failure) : null;
		return new AttemptOutcome.Unavailable(
				(cause != null) ? cause : new LockUnavailableException("The backend answered null"), true);
	}

}
