package io.distributedlock.backend.zookeeper;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.distributedlock.backend.KeyPrefix;

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

	LockPaths(String root, String keyPrefix) {
		this(root, new KeyPrefix(keyPrefix));
	}

	private static final String UNCHANGED = "_-:,;=+@!~()[]";

	private static final String HEX = "0123456789ABCDEF";

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
		List<String> paths = new ArrayList<>();
		for (int end = this.root.indexOf('/', 1); end > 0; end = this.root.indexOf('/', end + 1)) {
			paths.add(this.root.substring(0, end));
		}
		paths.add(this.root);
		return paths;
	}

	/**
	 * Return the key of a lock by its name below the root.
	 * @param name the name
	 * @return the key as the application wrote it, or empty if this is no lock of ours
	 */
	Optional<String> key(String name) {
		return decode(name).flatMap(this.keyPrefix::key);
	}

	private static String encode(String key) {
		StringBuilder name = new StringBuilder(key.length() + 16);
		for (byte next : key.getBytes(StandardCharsets.UTF_8)) {
			char character = (char) (next & 0xFF);
			// A dot at the beginning could make "." or "..", or a name that is no key's.
			boolean unchanged = isUnchanged(character) || (character == '.' && !name.isEmpty());
			if (unchanged) {
				name.append(character);
			}
			else {
				name.append('%').append(HEX.charAt(character >> 4)).append(HEX.charAt(character & 0xF));
			}
		}
		return name.toString();
	}

	private static Optional<String> decode(String name) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(name.length());
		int at = 0;
		while (at < name.length()) {
			char character = name.charAt(at++);
			if (character == '%' && at + 2 <= name.length()) {
				int high = HEX.indexOf(name.charAt(at++));
				int low = HEX.indexOf(name.charAt(at++));
				bytes.write((high << 4) + low);
			}
			else if (isUnchanged(character) || character == '.') {
				bytes.write(character);
			}
			else {
				return Optional.empty();
			}
		}
		String key = bytes.toString(StandardCharsets.UTF_8);
		// What was written by somebody else may not be what we would write.
		return encode(key).equals(name) ? Optional.of(key) : Optional.empty();
	}

	private static boolean isUnchanged(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || UNCHANGED.indexOf(character) >= 0;
	}

}
