package io.distributedlock.backend.zookeeper;

import java.time.Instant;
import java.util.List;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.TokenRange;

/**
 * What the first in line does until it is granted the lock: sit out cooldowns, store its
 * tick, and make sure that its session is known to live.
 */
final class Claim {

	private final Operation operation;

	private final ZooKeeperContender contender;

	private final LeaseRequest request;

	private final Attempt attempt;

	Claim(Operation operation, ZooKeeperContender contender, LeaseRequest request, Attempt attempt) {
		this.operation = operation;
		this.contender = contender;
		this.request = request;
		this.attempt = attempt;
	}

	/**
	 * Claim the lock for a place that is first in line.
	 */
	void begin(Place place, LockListing listing) {
		if (listing.cooldowns().isEmpty()) {
			claim(place, listing);
			return;
		}
		this.attempt.step(place, (session) -> this.operation.cooldowns().rest(place, listing.cooldowns()), (rest) -> {
			if (rest.isZero()) {
				listing.cooldowns()
					.forEach((over) -> place.session().requests().delete(place.lockPath() + "/" + over.name()));
				claim(place, listing);
			}
			else {
				this.attempt.rest(place, rest);
			}
		});
	}

	/**
	 * Store the tick, before the body runs.
	 */
	private void claim(Place place, LockListing listing) {
		Instant tick = this.request.tick();
		TickNode latest = listing.latestTick();
		if (tick == null || (latest != null && latest.isOf(place, tick))) {
			grant(place);
			return;
		}
		this.attempt.step(place, (session) -> this.operation.ticks().store(place, tick, listing.ticks()),
				(stored) -> grant(place), () -> this.attempt.look(place));
	}

	private void grant(Place place) {
		if (place.session().isValid()) {
			hold(place);
			return;
		}
		// Nothing was acknowledged lately, so that the lease would be over soon.
		this.attempt.step(place, (session) -> this.operation.beat(session), (beat) -> {
			if (place.session().isValid()) {
				hold(place);
			}
			else {
				this.attempt.unanswered();
			}
		});
	}

	/**
	 * Grant the lock to a place.
	 */
	void hold(Place place) {
		// In this order, so that the place is known to be used all the time.
		place.session().hold(place);
		this.contender.leaveLine();
		this.contender.predecessors().clear();
		TokenRange tokens = new TokenRange(place.firstToken(), Math.min(this.request.span(), Place.TOKENS));
		LeaseGrant grant = new LeaseGrant(this.contender.target(), place.ownerId(), List.of(tokens),
				LockClock.validUntil(this.attempt.startedAt(), this.request.ttl()), place.session().validity());
		if (!this.attempt.complete(new AttemptOutcome.Granted(grant))) {
			place.session().forget(place.ownerId());
			this.operation.removals().remove(place);
		}
	}

}
