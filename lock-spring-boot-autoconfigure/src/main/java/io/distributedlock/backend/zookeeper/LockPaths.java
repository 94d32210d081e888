package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.PercentEncoding;

/**
 * Where the nodes of locks are. Each key is one element of the path below the root, so
 * that none is an ancestor of another: all bytes of its UTF-8 but letters, digits and a
 * few signs are written as {@code %XX}, which keeps any two keys apart. Elements that
 * begin with a dot are no keys.
 *
 * @param root the root
 * @param keyPrefix what every key begins with
 */
record LockPaths(String root, KeyPrefix keyPrefix) {

	private static final String UNCHANGED = "_-:,;=+@!~()[].";

	private static final PercentEncoding ENCODING = new PercentEncoding(LockPaths::isUnchanged);

	/**
	 * Return the node below which the sessions of clients have their heartbeats.
	 */
	String sessions() {
		return this.root + "/.sessions";
	}

	/**
	 * Return the node of a lock.
	 */
	String lock(String key) {
		return child(encode(this.keyPrefix.name(key)));
	}

	String child(String name) {
		return this.root + "/" + name;
	}

	/**
	 * Return the root and what is above it, from the top.
	 */
	List<String> rootAndAbove() {
		return IntStream.rangeClosed(1, this.root.length())
			.filter((end) -> end == this.root.length() || this.root.charAt(end) == '/')
			.mapToObj((end) -> this.root.substring(0, end))
			.toList();
	}

	/**
	 * Return the key of a lock by its name below the root.
	 * @param name the name
	 * @return the key as the application wrote it, or empty if this is no lock of ours
	 */
	Optional<String> key(String name) {
		// What was written by another client may not be what we would write.
		return ENCODING.decode(name).filter((key) -> encode(key).equals(name)).flatMap(this.keyPrefix::key);
	}

	private static String encode(String key) {
		String name = ENCODING.encode(key);
		// It could be "." or "..", or a name that is no key's.
		return name.startsWith(".") ? "%2E" + name.substring(1) : name;
	}

	private static boolean isUnchanged(int character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || UNCHANGED.indexOf(character) >= 0;
	}

}
