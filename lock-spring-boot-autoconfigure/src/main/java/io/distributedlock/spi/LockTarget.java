package io.distributedlock.spi;

import java.util.List;

import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;

/**
 * The keys and the mode that one grant covers.
 *
 * @param keys the keys, one unless the backend grants
 * {@linkplain BackendConnection#severalKeys several} together; in the order in which they
 * are taken
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
	 * Create a target with one key.
	 * @param key the key
	 * @param mode how it is shared
	 * @return the target
	 */
	public static LockTarget of(String key, LockMode mode) {
		return new LockTarget(List.of(key), mode);
	}

	/**
	 * Return whether the leases on this target are members of a group, so that others may
	 * hold the keys at the same time.
	 * @return whether the mode is not {@link LockMode#EXCLUSIVE}
	 */
	public boolean isGroup() {
		return this.mode != LockMode.EXCLUSIVE;
	}

	/**
	 * Check that this target is one exclusive key. For backends that grant one key at a
	 * time and have no shared mode; because of their traits the engine never passes other
	 * targets.
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
	 * Check that this target is one key, in any mode. For backends that grant one key at
	 * a time; because of their traits the engine never passes other targets.
	 * @param backend the name of the backend
	 * @throws IllegalArgumentException if these are several keys
	 */
	public void requireOneKey(String backend) {
		if (this.keys.size() != 1) {
			throw new IllegalArgumentException("The backend '" + backend + "' grants one key at a time, not " + this);
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
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable("LockTarget[keys=" + this.keys + ", mode=" + this.mode + "]");
	}

}
