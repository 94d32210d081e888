package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.LockException;
import io.distributedlock.LockKeys;

/**
 * Ends the attempts for several keys at once after some of them were busy, so that the
 * keys are acquired one by one. Callers never see it.
 */
@SuppressWarnings("serial")
final class ContendedKeysException extends LockException {

	ContendedKeysException(List<String> keys) {
		super(LockKeys.printable("The keys " + keys + " were not free at the same time"));
	}

}
