package io.distributedlock.it.toy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.call.StoreCall;
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
 * Contends for one lock of a toy server.
 */
final class ToyContender implements Contender {

	private final ToyWire wire;

	private final LockTarget target;

	private final String name;

	private final ReleaseWaiter waiter;

	private final ToyLockBackend backend;

	private final PollDelay delay = new PollDelay();

	ToyContender(ToyWire wire, LockTarget target, String name, ReleaseWaiter waiter, ToyLockBackend backend) {
		this.wire = wire;
		this.target = target;
		this.name = name;
		this.waiter = waiter;
		this.backend = backend;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		boolean notified = request.waiting() && this.waiter.join();
		long sentAt = this.backend.clock().nanoTime();
		Instant tick = request.tick();
		StoreCall<List<String>> call = this.wire.send(
				List.of("acquire", this.name, request.ownerId().value(), ToyConnection.nanos(request.ttl()),
						String.valueOf(request.span()), (tick != null) ? tick.toString() : "", this.backend.instance()),
				request.timeout());
		return call.result()
			.handle((answer, fault) -> (fault != null)
					? new AttemptOutcome.Unavailable(CompletionCauses.unwrap(fault), call.wasSent())
					: outcome(answer, request, sentAt, notified));
	}

	private AttemptOutcome outcome(List<String> answer, LeaseRequest request, long sentAt, boolean notified) {
		switch (answer.get(0)) {
			case "granted" -> {
				this.waiter.leave();
				TokenRange tokens = new TokenRange(Long.parseLong(answer.get(1)), Integer.parseInt(answer.get(2)));
				return new AttemptOutcome.Granted(new LeaseGrant(this.target, request.ownerId(), tokens,
						LockClock.validUntil(sentAt, request.ttl())));
			}
			case "done" -> {
				return new AttemptOutcome.Done(Instant.parse(answer.get(1)));
			}
			default -> {
				if (request.waiting()) {
					this.waiter.subscribe();
				}
				Duration rest = ToyConnection.duration(answer.get(1));
				return new AttemptOutcome.Busy(rest,
						notified ? this.delay.notified(rest) : this.delay.unnotified(rest));
			}
		}
	}

	@Override
	public void withdraw() {
		this.waiter.leave();
	}

}
