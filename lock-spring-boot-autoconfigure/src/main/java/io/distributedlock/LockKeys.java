package io.distributedlock;

import java.util.Locale;

/**
 * Formats keys for display.
 *
 * @since 0.1.0
 */
public final class LockKeys {

	private LockKeys() {
	}

	/**
	 * Return a key in a form for display. Characters that are not printable are escaped,
	 * so a key can't forge log lines or move the cursor of a terminal.
	 * @param key the key
	 * @return the key, with control, format and separator characters in the notation of
	 * Java, as in {@code \n}, {@code \u001b}
	 */
	public static String printable(String key) {
		int first = 0;
		while (first < key.length() && isPrintable(key.charAt(first))) {
			first++;
		}
		if (first == key.length()) {
			return key;
		}
		StringBuilder shown = new StringBuilder(key.length() + 16).append(key, 0, first);
		for (int i = first; i < key.length(); i++) {
			char next = key.charAt(i);
			switch (next) {
				case '\n' -> shown.append("\\n");
				case '\r' -> shown.append("\\r");
				case '\t' -> shown.append("\\t");
				default -> {
					if (isPrintable(next)) {
						shown.append(next);
					}
					else {
						shown.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
					}
				}
			}
		}
		return shown.toString();
	}

	private static boolean isPrintable(char character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
			default -> true;
		};
	}

}
