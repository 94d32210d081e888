package io.distributedlock.backend.etcd;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

import io.etcd.jetcd.ByteSequence;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;

/**
 * The names of what is stored: for a key {@code <namespace><key>/w/<owner id>} is a place
 * in line, {@code <namespace><key>/c} its cooldown and {@code <namespace><key>/t} its
 * tick; {@code <namespace>/s/<lease>} is a session.
 * <p>
 * In the key itself {@code /}, {@code %} and control characters are written as their
 * hexadecimal bytes ({@code %2F}). So no two keys share a name, no name begins with that
 * of another key, and a session's, which has nothing before its slash, is no key's.
 */
final class EtcdKeys {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private static final String PLACES = "/w/";

	private static final String COOLDOWN = "/c";

	private static final String TICK = "/t";

	private final String namespace;

	private final String keyPrefix;

	private final String root;

	EtcdKeys(String namespace, String keyPrefix) {
		this.namespace = namespace;
		this.keyPrefix = keyPrefix;
		this.root = namespace + escape(keyPrefix);
	}

	/**
	 * Return what the names of all places in line for a key begin with.
	 */
	ByteSequence line(String key) {
		return bytes(name(key) + PLACES);
	}

	ByteSequence place(String key, OwnerId ownerId) {
		return bytes(name(key) + PLACES + ownerId.value());
	}

	ByteSequence cooldown(String key) {
		return bytes(name(key) + COOLDOWN);
	}

	ByteSequence tick(String key) {
		return bytes(name(key) + TICK);
	}

	ByteSequence session(long leaseId) {
		return bytes(this.namespace + "/s/" + Long.toHexString(leaseId));
	}

	/**
	 * Return what all names under the prefix of the keys begin with.
	 */
	ByteSequence root() {
		return bytes(this.root);
	}

	/**
	 * Tell what a name under the root means.
	 * @param stored the name of something that is stored
	 * @return the key that it belongs to, or empty where it is neither a place nor a
	 * cooldown of one
	 */
	Optional<Named> parse(ByteSequence stored) {
		String text = stored.toString(StandardCharsets.UTF_8);
		int slash = text.indexOf('/', this.namespace.length());
		if (!text.startsWith(this.root) || slash <= this.namespace.length()) {
			return Optional.empty();
		}
		String tail = text.substring(slash);
		boolean place = tail.startsWith(PLACES);
		String key = unescape(text.substring(this.namespace.length(), slash));
		if ((!place && !tail.equals(COOLDOWN)) || key == null || !key.startsWith(this.keyPrefix)) {
			return Optional.empty();
		}
		return Optional.of(new Named(key.substring(this.keyPrefix.length()), place));
	}

	private String name(String key) {
		return this.root + escape(key);
	}

	private static String escape(String text) {
		StringBuilder escaped = new StringBuilder(text.length() + 16);
		for (int i = 0; i < text.length(); i++) {
			char next = text.charAt(i);
			if (next == '/' || next == '%' || next < ' ' || next == 0x7f) {
				HEX.toHexDigits(escaped.append('%'), (byte) next);
			}
			else {
				escaped.append(next);
			}
		}
		return escaped.toString();
	}

	private static @Nullable String unescape(String text) {
		if (text.indexOf('%') < 0) {
			return text;
		}
		byte[] escaped = text.getBytes(StandardCharsets.UTF_8);
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(escaped.length);
		for (int i = 0; i < escaped.length; i++) {
			if (escaped[i] != '%') {
				bytes.write(escaped[i]);
			}
			else if (i + 2 < escaped.length && HexFormat.isHexDigit(escaped[i + 1])
					&& HexFormat.isHexDigit(escaped[i + 2])) {
				bytes.write(HexFormat.fromHexDigit(escaped[i + 1]) * 16 + HexFormat.fromHexDigit(escaped[i + 2]));
				i += 2;
			}
			else {
				// Somebody else has written this.
				return null;
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	/**
	 * What a name belongs to.
	 *
	 * @param key the key as the application wrote it
	 * @param place whether it is a place in line, and not a cooldown
	 */
	record Named(String key, boolean place) {
	}

}
