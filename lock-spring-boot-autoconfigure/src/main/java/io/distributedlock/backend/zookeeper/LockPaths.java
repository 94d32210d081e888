package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.PercentEncoding;

/**
 * Maps keys to the paths of nodes. Each key is one element of the path below the root, so
 * no key is an ancestor of another. In its UTF-8 form all bytes except letters, digits
 * and a few signs are written as {@code %XX}, so different keys have different names.
 * Elements that begin with a dot are not keys.
 *
 * @param root the root
 * @param keyPrefix the prefix of every key
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
	 * Return the root and the nodes above it, from the top.
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
	 * @return the key as the application wrote it, or empty if the name belongs to no
	 * lock with this prefix
	 */
	Optional<String> key(String name) {
		// Another client may have written a name that this class would encode
		// differently.
		return ENCODING.decode(name).filter((key) -> encode(key).equals(name)).flatMap(this.keyPrefix::key);
	}

	private static String encode(String key) {
		String name = ENCODING.encode(key);
		// The name could be "." or "..", or one that is reserved.
		return name.startsWith(".") ? "%2E" + name.substring(1) : name;
	}

	private static boolean isUnchanged(int character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || UNCHANGED.indexOf(character) >= 0;
	}

}
