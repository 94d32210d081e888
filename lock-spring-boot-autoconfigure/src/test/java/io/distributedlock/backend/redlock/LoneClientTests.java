package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that is alone never finds a key busy, whatever happens to its messages. What
 * nodes keep of its own earlier attempts and leases is no evidence of another holder.
 */
class LoneClientTests {

	private static final int HISTORIES = 400;

	private static final int ATTEMPTS = 30;

	@Test
	void keyIsGrantedOrUnavailableButNeverBusy() {
		int granted = 0;
		for (int seed = 0; seed < HISTORIES; seed++) {
			granted += new Run(seed).grants();
		}

		assertThat(granted).as("grants of all histories").isGreaterThan(HISTORIES);
	}

	private static final class Run {

		private final int seed;

		private final Random random;

		private final NodesFixture nodes;

		private final SteeredClient client;

		Run(int seed) {
			this.seed = seed;
			this.random = new Random(seed);
			this.nodes = new NodesFixture(3 + 2 * (seed % 2));
			this.client = this.nodes.client();
		}

		int grants() {
			int grants = 0;
			for (int i = 0; i < ATTEMPTS; i++) {
				for (int node = 0; node < this.nodes.nodes.size(); node++) {
					trouble(node);
				}
				LeaseRequest request = SteeredClient.request(1, null);
				AttemptOutcome outcome = outcome(request);
				assertThat(outcome).as("attempt %d of the history with seed %d", i, this.seed)
					.isNotInstanceOf(AttemptOutcome.Busy.class);
				if (outcome instanceof AttemptOutcome.Granted granted) {
					grants++;
					release(granted.grant());
				}
				else {
					this.client.connection
						.abandon(List.of(new Orphan(LockTarget.exclusive(NodesFixture.KEY), request.ownerId())));
				}
				this.nodes.clock.advance(Duration.ofMillis(1 + this.random.nextInt(1_500)));
			}
			return grants;
		}

		private AttemptOutcome outcome(LeaseRequest request) {
			CompletableFuture<AttemptOutcome> attempt = this.client.begin(request);
			// Until its timeout is over.
			for (int steps = 0; !attempt.isDone() && steps < 100; steps++) {
				this.nodes.clock.advance(Duration.ofMillis(50));
			}
			assertThat(attempt).isCompleted();
			return attempt.join();
		}

		private void release(LeaseGrant grant) {
			this.client.release(grant);
		}

		private void trouble(int node) {
			TroubledWay way = this.client.way(node);
			switch (this.random.nextInt(11)) {
				case 0 -> way.lose("acquire");
				case 1 -> way.lose("release");
				case 2 -> way.keepAnswers("acquire", "release");
				case 3 -> way.deliver();
				case 4 -> way.cut();
				case 5 -> this.nodes.node(node).holdBack();
				case 6, 7 -> this.nodes.node(node).goOn();
				case 8 -> way.clear();
				default -> {
				}
			}
		}

	}

}
