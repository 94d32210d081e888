package io.distributedlock.epoch;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link TokenEpoch} and {@link EpochMark}.
 */
class TokenEpochTests {

	@Test
	void epochStandsInBits56To62() {
		LeaseGrant grant = grant(new TokenRange(5, 3));

		LeaseGrant seen = new TokenEpoch(3).toApplication(grant);

		assertThat(seen.token()).isEqualTo(new TokenRange(0x0300000000000005L, 3));
		assertThat(new TokenEpoch(3).toStore(seen)).isEqualTo(grant);
	}

	@Test
	void epochZeroChangesNothing() {
		LeaseGrant grant = grant(new TokenRange(Long.MAX_VALUE - 1, 2));

		assertThat(new TokenEpoch(0).fits(grant)).isTrue();
		assertThat(new TokenEpoch(0).toApplication(grant)).isSameAs(grant);
	}

	@Test
	void greatestTokenOfTheGreatestEpochIsTheGreatestNumber() {
		LeaseGrant grant = grant(new TokenRange((1L << 56) - 1, 1));

		assertThat(new TokenEpoch(TokenEpoch.GREATEST).fits(grant)).isTrue();
		assertThat(new TokenEpoch(TokenEpoch.GREATEST).toApplication(grant).token().last()).isEqualTo(Long.MAX_VALUE);
	}

	@ParameterizedTest
	@ValueSource(longs = { (1L << 56) - 2, 1L << 56, Long.MAX_VALUE - 2, -1 })
	void rangeThatReachesIntoTheEpochDoesNotFit(long first) {
		assertThat(new TokenEpoch(1).fits(grant(new TokenRange(first, 3)))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 128 })
	void otherEpochsAreRefused(int epoch) {
		assertThatIllegalArgumentException().isThrownBy(() -> new TokenEpoch(epoch))
			.withMessage("A token epoch is between 0 and 127, not " + epoch);
	}

	@Test
	void marksOfEveryEpochStandInOrderAndBefore1970() {
		long now = Instant.parse("2026-05-05T05:05:05Z").toEpochMilli();
		Instant last = EpochMark.LOOK.tick();
		for (int epoch = 0; epoch <= TokenEpoch.GREATEST; epoch++) {
			EpochMark raising = EpochMark.raising(epoch, 0);
			EpochMark inForce = EpochMark.inForce(epoch, now);
			EpochMark later = EpochMark.inForce(epoch, now + 1000);
			assertThat(raising.tick()).isAfter(last);
			assertThat(inForce.tick()).isAfter(raising.tick());
			assertThat(later.tick()).isAfter(inForce.tick()).isBefore(Instant.EPOCH);
			last = EpochMark.inForce(epoch, Long.MAX_VALUE / 2).tick();
			assertThat(EpochMark.of(last).level()).isEqualTo(inForce.level());
			assertThat(EpochMark.of(inForce.tick())).isEqualTo(inForce);
			assertThat(EpochMark.of(raising.tick())).isEqualTo(raising);
			assertThat(raising.epoch()).isEqualTo(epoch);
			assertThat(inForce.epoch()).isEqualTo(epoch);
			assertThat(inForce.isInForce()).isTrue();
			assertThat(raising.isInForce()).isFalse();
		}
		assertThat(EpochMark.of(EpochMark.LOOK.tick())).isEqualTo(EpochMark.LOOK);
		assertThat(EpochMark.LOOK.isInForce()).isFalse();
	}

	private static LeaseGrant grant(TokenRange tokens) {
		return new LeaseGrant(LockTarget.exclusive("order:42"), OwnerId.random(), tokens, 7);
	}

}
