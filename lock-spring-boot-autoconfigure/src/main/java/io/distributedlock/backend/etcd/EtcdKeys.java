package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.options.OptionsUtil;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.PercentEncoding;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Maps keys to names in etcd. For a key, {@code <namespace><key>/w/<owner id>} is an
 * entry in the queue, {@code <namespace><key>/c} its cooldown and
 * {@code <namespace><key>/t} its tick; {@code <namespace>/s/<lease>} is a session. The
 * entry of a reader is {@code <namespace><key>/w/r<owner id>}, and that of a permit
 * {@code <namespace><key>/w/s<owner id>}.
 * <p>
 * Names that continue the key with {@code /~} or a greater text are notes that every
 * version may ignore. Any other name means that the key is taken.
 * <p>
 * In the key itself {@code /}, {@code %} and control characters are written as their
 * hexadecimal bytes ({@code %2F}). So no two keys share a name, and no name begins with
 * that of another key. The name of a session, which has no key before its slash, belongs
 * to no key.
 *
 * @param namespace the prefix of all names
 * @param keyPrefix the prefix of every key
 */
record EtcdKeys(String namespace, KeyPrefix keyPrefix) {

	private static final PercentEncoding ENCODING = new PercentEncoding(
			(next) -> next != '/' && next != '%' && next >= ' ' && next != 0x7f);

	private static final String ENTRIES = "/w/";

	private static final String AFTER_ENTRIES = "/w0";

	private static final String OWNER_ID = "[0-9a-fA-F]{32}";

	private static final int OWNER_ID_LENGTH = 32;

	private static final String COOLDOWN = "/c";

	private static final String TICK = "/t";

	/**
	 * Names that continue a key with this are ignored.
	 */
	private static final String NOTES = "/~";

	/**
	 * Return the prefix of the names of all entries in the queue for a key.
	 */
	ByteSequence queue(String key) {
		return bytes(name(key) + ENTRIES);
	}

	/**
	 * Return the places of a request, in the order of its keys.
	 */
	List<EtcdPlace> places(LockTarget target, OwnerId ownerId) {
		if (target.keys().size() == 1) {
			return List.of(new EtcdPlace(target, entry(target, ownerId)));
		}
		return target.keys()
			.stream()
			.map((key) -> LockTarget.of(key, target.mode()))
			.map((one) -> new EtcdPlace(one, entry(one, ownerId)))
			.toList();
	}

	ByteSequence entry(LockTarget target, OwnerId ownerId) {
		return bytes(name(target.key()) + ENTRIES + prefixOf(target.mode()) + ownerId.value());
	}

	ByteSequence cooldown(String key) {
		return bytes(name(key) + COOLDOWN);
	}

	ByteSequence tick(String key) {
		return bytes(name(key) + TICK);
	}

	/**
	 * Return the range of all names below a key but the notes.
	 */
	Range all(String key) {
		String name = name(key);
		return new Range(bytes(name + "/"), bytes(name + NOTES));
	}

	/**
	 * Return the range of all entries in the queue for a key.
	 */
	Range entries(String key) {
		String name = name(key);
		return new Range(bytes(name + ENTRIES), bytes(name + AFTER_ENTRIES));
	}

	/**
	 * Return the range of the entries of a group.
	 * @param mode the mode of its members, not {@link LockMode#EXCLUSIVE}
	 */
	Range members(String key, LockMode mode) {
		String name = name(key) + ENTRIES;
		char prefix = prefixOf(mode).charAt(0);
		return new Range(bytes(name + prefix), bytes(name + (char) (prefix + 1)));
	}

	/**
	 * Return the parts of a range that can be in the way of an entry; first that of other
	 * permits, if it is one.
	 */
	List<Range> before(LockTarget target, Range all) {
		if (target.mode() == LockMode.EXCLUSIVE) {
			return List.of(all);
		}
		Range members = members(target.key(), target.mode());
		List<Range> others = all.without(members);
		return (target.mode() == LockMode.SHARED) ? others : List.of(members, others.get(0), others.get(1));
	}

	/**
	 * Return the ranges of names below a key that have no meaning for this version.
	 */
	List<Range> unknown(String key) {
		String name = name(key);
		return List.of(new Range(bytes(name + "/"), bytes(name + COOLDOWN)),
				new Range(bytes(name + COOLDOWN + '\0'), bytes(name + TICK)),
				new Range(bytes(name + TICK + '\0'), bytes(name + ENTRIES)),
				new Range(bytes(name + AFTER_ENTRIES), bytes(name + NOTES)));
	}

	ByteSequence session(long leaseId) {
		return bytes(this.namespace + "/s/" + Long.toHexString(leaseId));
	}

	/**
	 * Return the range of the names of all keys.
	 */
	Range all() {
		ByteSequence root = bytes(name(""));
		return new Range(root.isEmpty() ? ByteSequence.from(new byte[] { 0 }) : root, OptionsUtil.prefixEndOf(root));
	}

	/**
	 * Return the range of the names of all keys that follow a key.
	 */
	Range behind(String key) {
		// The character after the slash.
		return new Range(bytes(name(key) + "0"), all().to());
	}

	/**
	 * Parse a name under the root.
	 * @param stored the name that is stored
	 * @return the key that it belongs to, or empty if it is neither in a queue nor a
	 * cooldown
	 */
	Optional<Named> parse(ByteSequence stored) {
		String text = stored.toString(StandardCharsets.UTF_8);
		int slash = text.indexOf('/', this.namespace.length());
		if (!text.startsWith(name("")) || slash <= this.namespace.length()) {
			return Optional.empty();
		}
		return ENCODING.decode(text.substring(this.namespace.length(), slash))
			.flatMap(this.keyPrefix::key)
			.flatMap((key) -> Kind.of(text.substring(slash)).map((kind) -> new Named(key, kind)));
	}

	/**
	 * Return the mode in the name of an entry.
	 * @return the mode, or {@code null} if the name has a form that this version does not
	 * know
	 */
	static @Nullable LockMode modeOf(ByteSequence entry) {
		String name = entry.toString(StandardCharsets.UTF_8);
		return Kind.of(ENTRIES + name.substring(name.lastIndexOf('/') + 1)).map(Kind::mode).orElse(null);
	}

	/**
	 * Return the owner id in the name of an entry.
	 */
	static OwnerId ownerOf(ByteSequence entry) {
		String name = entry.toString(StandardCharsets.UTF_8);
		return new OwnerId(name.substring(name.length() - OWNER_ID_LENGTH));
	}

	private static String prefixOf(LockMode mode) {
		return switch (mode) {
			case EXCLUSIVE -> "";
			case SHARED -> "r";
			case PERMITS -> "s";
		};
	}

	private String name(String key) {
		return this.namespace + ENCODING.encode(this.keyPrefix.name(key));
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	/**
	 * The key and the kind of a name.
	 *
	 * @param key the key as the application wrote it
	 * @param kind the kind
	 */
	record Named(String key, Kind kind) {
	}

	/**
	 * The kind of a name below a key.
	 */
	enum Kind {

		/**
		 * An exclusive entry in the queue.
		 */
		EXCLUSIVE(ENTRIES + OWNER_ID, LockMode.EXCLUSIVE),

		/**
		 * The entry of a reader.
		 */
		SHARED(ENTRIES + prefixOf(LockMode.SHARED) + OWNER_ID, LockMode.SHARED),

		/**
		 * The entry of a permit.
		 */
		PERMITS(ENTRIES + prefixOf(LockMode.PERMITS) + OWNER_ID, LockMode.PERMITS),

		/**
		 * An entry in the queue of a form that this version does not know.
		 */
		UNKNOWN("(?s)" + ENTRIES + ".*", null),

		/**
		 * The cooldown.
		 */
		COOLDOWN(EtcdKeys.COOLDOWN, null);

		private final Pattern form;

		private final @Nullable LockMode mode;

		Kind(String form, @Nullable LockMode mode) {
			this.form = Pattern.compile(form);
			this.mode = mode;
		}

		/**
		 * Return the mode of an entry, or {@code null} if this is not the kind of one.
		 */
		@Nullable LockMode mode() {
			return this.mode;
		}

		/**
		 * Return the first kind that has such a name.
		 * @param tail the part of the name after the key
		 */
		static Optional<Kind> of(String tail) {
			return Arrays.stream(values()).filter((kind) -> kind.form.matcher(tail).matches()).findFirst();
		}

	}

	/**
	 * A range of names.
	 *
	 * @param from its first name
	 * @param to the first name after it
	 */
	record Range(ByteSequence from, ByteSequence to) {

		/**
		 * Return what is left of this range without one in its middle.
		 */
		List<Range> without(Range middle) {
			return List.of(new Range(this.from, middle.from), new Range(middle.to, this.to));
		}

	}

}
