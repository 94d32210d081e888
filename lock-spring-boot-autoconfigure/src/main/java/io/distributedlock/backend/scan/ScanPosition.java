package io.distributedlock.backend.scan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockKeys;

/**
 * A place in the walk over the keys of several servers. A server decides how many keys a
 * step returns, so those that did not fit on a page are a part of the place.
 *
 * @param server the index of the server
 * @param cursor where the next step begins at that server, or {@code null} if it has
 * walked all its keys
 * @param pending keys that a step has found and that were not looked at yet
 */
record ScanPosition(int server, @Nullable String cursor, List<String> pending) {

	static final ScanPosition START = new ScanPosition(0, KeyBatch.END, List.of());

	/**
	 * A server, a cursor unless the server is done, and the pending keys.
	 */
	private static final Pattern FORM = Pattern.compile("(\\d{1,4})\\.(\\d{1,20})?((?:~[A-Za-z0-9_-]+)*)");

	ScanPosition {
		pending = List.copyOf(pending);
	}

	static ScanPosition parse(@Nullable String text) {
		if (text == null) {
			return START;
		}
		Matcher matcher = FORM.matcher(text);
		if (!matcher.matches()) {
			throw invalid(text);
		}
		try {
			if (matcher.group(2) != null) {
				Long.parseUnsignedLong(matcher.group(2));
			}
			List<String> pending = Stream.of(matcher.group(3).split("~"))
				.filter((key) -> !key.isEmpty())
				.map((key) -> new String(Base64.getUrlDecoder().decode(key), StandardCharsets.UTF_8))
				.toList();
			return new ScanPosition(Integer.parseInt(matcher.group(1)), matcher.group(2), pending);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(text);
		}
	}

	private static InvalidLockRequestException invalid(String text) {
		return new InvalidLockRequestException("'" + LockKeys.printable(text)
				+ "' is not where a page of locks begins. Use the value of the page before");
	}

	/**
	 * Return the place after a step.
	 */
	ScanPosition after(KeyBatch batch) {
		List<String> keys = new ArrayList<>(new LinkedHashSet<>(batch.keys()));
		return new ScanPosition(this.server, batch.cursor().equals(KeyBatch.END) ? null : batch.cursor(), keys);
	}

	/**
	 * Return the place after some of the pending keys.
	 */
	ScanPosition without(int looked) {
		return new ScanPosition(this.server, this.cursor, this.pending.subList(looked, this.pending.size()));
	}

	/**
	 * Return the beginning of the next server.
	 */
	ScanPosition nextServer() {
		return new ScanPosition(this.server + 1, KeyBatch.END, List.of());
	}

	/**
	 * Return the text that {@link #parse} reads. It needs no escaping in a URL.
	 */
	@Override
	public String toString() {
		StringBuilder text = new StringBuilder().append(this.server).append('.');
		if (this.cursor != null) {
			text.append(this.cursor);
		}
		this.pending.forEach((key) -> text.append('~')
			.append(Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8))));
		return text.toString();
	}

}
