package io.distributedlock.backend;

import java.util.Optional;

/**
 * What comes before every key at a store that has one name for a lock. Two locks have the
 * same name only if both their prefixes and their keys are equal: whatever a key begins
 * with, it can't continue the prefix of another application.
 * <p>
 * For that, the first colon without a backslash ends the prefix in a name. A prefix that
 * ends with its only colon, such as {@code lock:}, stands there as it is. In any other,
 * the colons before the last character and all backslashes have a backslash before them,
 * and {@code \.:} follows a prefix that does not end with a colon.
 *
 * @since 0.1.0
 */
public final class KeyPrefix {

	private final String text;

	/**
	 * Create a prefix.
	 * @param value the prefix as the application wrote it; may be empty
	 */
	public KeyPrefix(String value) {
		boolean closed = value.endsWith(":");
		String inner = closed ? value.substring(0, value.length() - 1) : value;
		String escaped = inner.replace("\\", "\\\\").replace(":", "\\:");
		this.text = escaped + (closed ? ":" : "\\.:");
	}

	/**
	 * Return the name of a lock.
	 * @param key the key
	 * @return the name
	 */
	public String name(String key) {
		return this.text + key;
	}

	/**
	 * Return the key of a lock under this prefix.
	 * @param name the name of a lock
	 * @return the key, or empty if the lock has another prefix
	 */
	public Optional<String> key(String name) {
		return name.startsWith(this.text) ? Optional.of(name.substring(this.text.length())) : Optional.empty();
	}

	/**
	 * Return what the names of all locks under this prefix begin with, and of no others.
	 */
	@Override
	public String toString() {
		return this.text;
	}

}
