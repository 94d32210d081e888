package io.distributedlock.it.toy;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.TokenRange;

/**
 * Contends for one key. It has no place in a queue at the server.
 */
final class ToyContender implements Contender {

	private final ToyConnection connection;

	private final LockTarget target;

	private final ReleaseWaiter waiter;

	private final PollDelay delay = new PollDelay();

	ToyContender(ToyConnection connection, LockTarget target, ReleaseWaiter waiter) {
		this.connection = connection;
		this.target = target;
		this.waiter = waiter;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		boolean notified = request.waiting() && this.waiter.join();
		return this.connection
			.ask(request.timeout(), "GRANT", this.connection.name(this.target.key()), request.ownerId().value(),
					this.connection.settings().instance(), request.ttl().toNanos(), request.span(),
					Objects.toString(request.tick(), ""))
			.thenApply((answer) -> outcome(request, answer, notified))
			.exceptionally((fault) -> {
				Throwable cause = CompletionCauses.unwrap(fault);
				return new AttemptOutcome.Unavailable(cause, !(cause instanceof NotSentException));
			});
	}

	private AttemptOutcome outcome(LeaseRequest request, ToyAnswer answer, boolean notified) {
		ToyMessage message = answer.message();
		return switch (message.text(0)) {
			case "GRANTED" -> {
				this.waiter.leave();
				TokenRange tokens = new TokenRange(message.integer(1), Math.toIntExact(message.integer(2)));
				yield new AttemptOutcome.Granted(new LeaseGrant(this.target, request.ownerId(), tokens,
						LockClock.validUntil(answer.sentAt(), request.ttl())));
			}
			case "BUSY" -> {
				if (request.waiting()) {
					this.waiter.subscribe();
				}
				Duration rest = Duration.ofNanos(message.integer(1));
				yield new AttemptOutcome.Busy(rest, notified ? this.delay.notified(rest) : this.delay.unnotified(rest));
			}
			case "DONE" -> new AttemptOutcome.Done(Instant.parse(message.text(1)));
			default -> throw new IllegalStateException("Unknown answer " + message);
		};
	}

	@Override
	public void withdraw() {
		this.waiter.leave();
	}

}
