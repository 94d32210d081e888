package io.distributedlock.backend;

import java.util.Optional;

/**
 * Prefixes the keys of an application in stores that identify a lock by one name. Two
 * locks have the same name only if both their prefixes and their keys are equal. A key
 * can therefore never continue the prefix of another application.
 * <p>
 * To this end, the prefix in a name ends at the first colon that does not follow a
 * backslash. A prefix without backslashes whose only colon is its last character, such as
 * {@code lock:}, is used as it is. In any other prefix, each backslash and each colon
 * before the last character is escaped by a backslash, and {@code \.:} is appended if the
 * prefix does not end with a colon.
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
	 * Return the text with which the names of all locks under this prefix begin, and
	 * those of no other lock.
	 */
	@Override
	public String toString() {
		return this.text;
	}

}
