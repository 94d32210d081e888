package io.distributedlock.sample;

import java.time.Duration;

/**
 * A pause, instead of work that takes long.
 */
final class Pause {

	private Pause() {
	}

	static void of(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted in a pause of " + time.toMillis() + " ms", ex);
		}
	}

}
