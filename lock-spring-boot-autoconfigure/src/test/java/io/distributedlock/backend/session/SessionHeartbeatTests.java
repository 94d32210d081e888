package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.ClockReading;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionHeartbeat}.
 */
class SessionHeartbeatTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final long begin = this.clock.nanoTime();

	private final List<Long> sent = new ArrayList<>();

	private final ClientSession<SessionEntry> session = new ClientSession<>(this.clock, (owner) -> {
	}, () -> true, ClockReading.now(this.clock), Duration.ofHours(1));

	private final SessionHeartbeat<String> heartbeat = new SessionHeartbeat<>(this.session, this.clock,
			() -> Duration.ofSeconds(10), this::send);

	@Test
	void provesEachIntervalWhateverBecomesOfTheProofs() {
		this.heartbeat.start();

		this.clock.advance(Duration.ofSeconds(30));

		assertThat(this.sent).containsExactly(10L, 20L, 30L);
	}

	@Test
	void proofBetweenMovesTheNextOne() {
		this.heartbeat.start();
		this.clock.advance(Duration.ofSeconds(5));

		this.heartbeat.prove();
		this.clock.advance(Duration.ofSeconds(10));

		assertThat(this.sent).containsExactly(5L, 15L);
	}

	@Test
	void nextProofComesSoonerAndNeverLater() {
		this.heartbeat.start();

		this.heartbeat.proveWithin(Duration.ofSeconds(2));
		this.heartbeat.proveWithin(Duration.ofSeconds(4));
		this.clock.advance(Duration.ofSeconds(4));

		assertThat(this.sent).containsExactly(2L);
	}

	@Test
	void sessionThatHasEndedIsNotKeptAlive() {
		this.heartbeat.start();

		this.session.end();
		this.clock.advance(Duration.ofMinutes(1));

		assertThat(this.sent).isEmpty();
	}

	@Test
	void stoppedHeartbeatSendsNothing() {
		this.heartbeat.start();

		this.heartbeat.stop();
		this.heartbeat.proveWithin(Duration.ofSeconds(1));
		this.clock.advance(Duration.ofMinutes(1));

		assertThat(this.sent).isEmpty();
	}

	private CompletionStage<String> send() {
		this.sent.add(Duration.ofNanos(this.clock.nanoTime() - this.begin).toSeconds());
		return new CompletableFuture<>();
	}

}
