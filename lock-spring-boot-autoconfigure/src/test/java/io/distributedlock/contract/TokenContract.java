package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tokens of every grant are greater than those of all earlier grants on the key.
 */
abstract class TokenContract extends AttemptContract {

	private final String key = newKey();

	private final List<TokenRange> ranges = new ArrayList<>();

	@Test
	void tokensGrowOverReleaseByOneClientAndByAnother() {
		assumeFencing();
		for (int i = 0; i < 20; i++) {
			LeaseGrant grant = noted(acquire(client(i % 2), this.key));
			release(client(i % 2), grant);
		}

		assertRangesGrow();
	}

	@Test
	void tokensGrowOverExpiry() {
		assumeFencing();
		noted(acquire(first(), this.key, briefTtl()));
		letExpire(first(), briefTtl());

		noted(acquire(second(), this.key));

		assertRangesGrow();
	}

	@Test
	void tokensGrowOverForcedRelease() {
		assumeFencing();
		noted(acquire(first(), this.key));
		get(second().forceRelease(this.key, Duration.ZERO));

		noted(acquire(second(), this.key));

		assertRangesGrow();
	}

	@Test
	void tokensGrowOverAbandonedAttempt() {
		assumeFencing();
		LeaseGrant grant = noted(acquire(first(), this.key));
		get(first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		noted(acquire(second(), this.key));

		assertRangesGrow();
	}

	@Test
	void tokensGrowOverBusyAttempts() {
		assumeFencing();
		LeaseGrant grant = noted(acquire(first(), this.key));
		assertBusy(second(), this.key);
		release(first(), grant);

		noted(acquire(second(), this.key));

		assertRangesGrow();
	}

	@Test
	void rangesOfAnyLengthNeverOverlap() {
		assumeFencing();
		for (int span : new int[] { 1, 1024, 1, 7, 1024, 2, 1 }) {
			LeaseGrant grant = noted(acquire(first(), this.key, request(OwnerId.random(), longTtl(), span, null)));
			assertThat(grant.token().count()).isBetween(1, span);
			release(first(), grant);
		}

		assertRangesGrow();
	}

	@Test
	void tokensOfAnAttemptThatIsSentAgainDoNotGoToTheNext() {
		assumeFencing();
		LeaseRequest request = request(OwnerId.random(), longTtl(), 8, null);
		LeaseGrant grant = noted(acquire(first(), this.key, request));
		AttemptOutcome again = attempt(first(), this.key, request);
		if (again instanceof AttemptOutcome.Granted granted) {
			assertThat(granted.grant().token()).isEqualTo(grant.token());
		}
		release(first(), grant);

		noted(acquire(second(), this.key));

		assertRangesGrow();
	}

	private LeaseGrant noted(LeaseGrant grant) {
		this.ranges.add(grant.token());
		return grant;
	}

	private void assertRangesGrow() {
		for (int i = 1; i < this.ranges.size(); i++) {
			assertThat(this.ranges.get(i).first()).as("first token of grant %d of %s", i, this.ranges)
				.isGreaterThan(this.ranges.get(i - 1).last());
		}
	}

}
