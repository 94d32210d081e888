package io.distributedlock.backend.redlock;

import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;
import io.distributedlock.contract.LockBackendContract;

/**
 * The histories with several keys in one lease find each rule of the protocol that is
 * broken for some of these keys.
 */
@Tag(LockBackendContract.HISTORIES)
class BrokenSetsProtocolTests {

	@Test
	void findsNodesThatCheckOnlyTheFirstKey() {
		BrokenProtocolTests.assertFound("is valid", Trouble.STALLS, Usage.SETS,
				(seed) -> Sabotage.none().withModel(BrokenModels.ChecksTheFirstKey::new));
	}

	@Test
	void findsTokensThatAreComparedForTheFirstKeyOnly() {
		BrokenProtocolTests.assertFound("tokens", Trouble.BAD_CLOCKS, Usage.SETS,
				(seed) -> Sabotage.none().withModel(BrokenModels.CountsForTheFirstKey::new));
	}

	@Test
	void findsRenewalsOfLeasesThatHaveLostOneOfTheirKeys() {
		BrokenProtocolTests.assertFound("has been granted since", Trouble.BAD_CLOCKS, Usage.SETS,
				(seed) -> Sabotage.none()
					.withModel(BrokenModels.RenewsIfOneStands::new)
					.withMeddler(BrokenProtocolTests.losingLocks(new SplittableRandom(seed))));
	}

}
