package io.distributedlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.BackendConnection;

/**
 * Looks at the locks of a store for those who operate it.
 *
 * @since 0.1.0
 */
public interface LockInspection {

	/**
	 * Find who holds a key, as {@link BackendConnection#find} promises it.
	 * @param key the key
	 * @return what the store knows, or empty where nobody holds it
	 */
	CompletionStage<Optional<LockInfo>> find(String key);

	/**
	 * List the locks that are held, as {@link BackendConnection#list} promises it.
	 * @return the locks in no particular order
	 */
	CompletionStage<List<LockInfo>> list();

	/**
	 * Take a lock away from its holder, as {@link BackendConnection#forceRelease}
	 * promises it.
	 * @param key the key
	 * @param cooldown how long the lock stays unavailable after that; zero for none
	 * @return whether the key had a holder
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown);

}
