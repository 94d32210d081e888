package io.distributedlock.documentation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Words that the documentation and public Javadoc do without, each with its reason.
 */
public final class Voice {

	private static final Map<Pattern, String> WORDS = new LinkedHashMap<>();

	static {
		String persons = "programs are not persons: name the client, the waiter, the holder, the administrator";
		add("nobody|somebody|anybody|whoever", persons);
		add("tells?|told", "programs report, notify, return or throw");
		add("hears?|heard", "programs receive");
		add("time-outs?", "the field writes 'timeout'");
		add("start-up", "Spring writes 'startup'");
		add("for ever", "one word: 'forever'");
	}

	private Voice() {
	}

	private static void add(String words, String reason) {
		WORDS.put(Pattern.compile("\\b(?:" + words + ")\\b", Pattern.CASE_INSENSITIVE), reason);
	}

	/**
	 * Return what to change in a text. Code in backticks is not looked at.
	 * @param text the text
	 * @return each word with its reason
	 */
	public static List<String> findings(String text) {
		String prose = text.replaceAll("`[^`]*`", "`…`");
		return WORDS.entrySet()
			.stream()
			.flatMap((word) -> word.getKey()
				.matcher(prose)
				.results()
				.map((found) -> "'" + found.group() + "': " + word.getValue()))
			.toList();
	}

}
