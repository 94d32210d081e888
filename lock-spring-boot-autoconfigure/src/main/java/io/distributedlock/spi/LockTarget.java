package io.distributedlock.spi;

import java.util.List;

import io.distributedlock.LockKeys;
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
	 * Refuse all but one exclusive key: for backends without several keys in one grant
	 * and without shared mode, whose traits keep others from asking.
	 * @param backend the name of the backend
	 * @throws IllegalArgumentException if this is another target
	 */
	public void requireOneExclusiveKey(String backend) {
		if (this.keys.size() != 1 || this.mode != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException(
					"The backend '" + backend + "' grants one key at a time and only EXCLUSIVE, not " + this);
		}
	}

	/**
	 * Return the only or first key.
	 * @return the key
	 */
	public String key() {
		return this.keys.get(0);
	}

	/**
	 * Return all that is known, with keys as people may see them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LockTarget[keys=" + this.keys + ", mode=" + this.mode + "]");
	}

}
