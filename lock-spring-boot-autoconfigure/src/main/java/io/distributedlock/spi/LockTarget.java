package io.distributedlock.spi;

import java.util.List;

import io.distributedlock.LockMode;

/**
 * What one grant covers.
 *
 * @param keys the keys, one unless the backend's traits allow several in one grant; in
 * the order in which they are taken
 * @param mode how they are shared
 * @since 0.1.0
 */
public record LockTarget(List<String> keys, LockMode mode) {

	/**
	 * Create a target with one exclusive key.
	 * @param key the key
	 * @return the target
	 */
	public static LockTarget exclusive(String key) {
		return new LockTarget(List.of(key), LockMode.EXCLUSIVE);
	}

	/**
	 * Return the only or first key.
	 * @return the key
	 */
	public String key() {
		return this.keys.get(0);
	}

}
