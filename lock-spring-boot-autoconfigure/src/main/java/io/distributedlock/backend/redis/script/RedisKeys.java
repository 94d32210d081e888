package io.distributedlock.backend.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.distributedlock.backend.scan.KeyBatch;

/**
 * The names of the values that are stored for a key. {@code <prefix>{<key>}} is the lock,
 * the same name with {@code :c} its counter, and with {@code :w} the mark of its waiters.
 * A group has three more: its members ({@code :s}), their tokens ({@code :h}), and the
 * door that waiters have closed to it ({@code :d}). The braces make all of them share a
 * hash slot. Braces of the prefix and of the key are written as {@code %7B} and
 * {@code %7D}, and {@code %} as {@code %25}, so that only the key determines the slot.
 *
 * @param prefix the beginning of every name, in its escaped form
 * @since 0.1.0
 */
public record RedisKeys(String prefix) {

	/**
	 * Create the names under a prefix.
	 * @param prefix the beginning of every name; may be empty, and is escaped here
	 */
	public RedisKeys {
		prefix = escape(prefix);
	}

	/**
	 * Return the name of the lock.
	 * @param key the key
	 * @return the name
	 */
	public byte[] lock(String key) {
		return bytes(name(key));
	}

	/**
	 * Return the name of a lock that meets a condition, for example that a certain server
	 * of a Cluster has it.
	 * @param condition the condition, which some of many names must meet
	 * @return the name
	 */
	public byte[] anyLock(Predicate<byte[]> condition) {
		return IntStream.iterate(0, (number) -> number + 1)
			.mapToObj((number) -> lock(String.valueOf(number)))
			.filter(condition)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return the names of the lock, of its counter and of its mark.
	 * @param key the key
	 * @return the three names
	 */
	public List<byte[]> all(String key) {
		byte[] name = lock(key);
		return List.of(name, with(name, 'c'), with(name, 'w'));
	}

	/**
	 * Return the names of all that is stored for a key which a group may hold.
	 * @param key the key
	 * @return the names of the lock, of its counter and of its mark, and those of the
	 * members of the group, of their tokens and of its door
	 */
	public List<byte[]> allOfGroup(String key) {
		byte[] name = lock(key);
		return List.of(name, with(name, 'c'), with(name, 'w'), with(name, 's'), with(name, 'h'), with(name, 'd'));
	}

	/**
	 * Return the channel on which releases are published. Each message is the name of a
	 * lock.
	 * @return the channel
	 */
	public byte[] channel() {
		return beside("released");
	}

	/**
	 * Return the name of a value that is stored beside the locks and belongs to no key.
	 * @param what the end of the name, without braces
	 * @return the name
	 */
	public byte[] beside(String what) {
		return bytes(this.prefix + what);
	}

	/**
	 * Return the pattern that the names of all locks match, and some others.
	 * @return the pattern
	 */
	public String pattern() {
		return this.prefix.replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0") + "{*}";
	}

	/**
	 * Return the key whose lock has a name.
	 * @param name the name of a stored value
	 * @return the key, or empty if the value is not a lock under this prefix
	 */
	public Optional<String> key(byte[] name) {
		String text = new String(name, StandardCharsets.UTF_8);
		if (!text.startsWith(this.prefix + "{") || !text.endsWith("}")) {
			return Optional.empty();
		}
		// A name that another program has written may not be the name of its key.
		return Optional.of(unescape(text.substring(this.prefix.length() + 1, text.length() - 1)))
			.filter((key) -> !key.isEmpty() && name(key).equals(text));
	}

	/**
	 * Read a page of names, as {@link LuaScript#SCAN} returns it.
	 * @param page the reply
	 * @return the keys whose locks are on the page
	 */
	public KeyBatch batch(List<?> page) {
		return new KeyBatch(ScriptReplies.text(page.get(0)),
				ScriptReplies.list(page.get(1)).stream().flatMap((name) -> key((byte[]) name).stream()).toList());
	}

	private String name(String key) {
		return this.prefix + "{" + escape(key) + "}";
	}

	private static String escape(String text) {
		return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

	private static String unescape(String text) {
		return text.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
	}

	private static byte[] with(byte[] name, char kind) {
		byte[] longer = Arrays.copyOf(name, name.length + 2);
		longer[name.length] = ':';
		longer[name.length + 1] = (byte) kind;
		return longer;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
