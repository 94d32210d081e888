package io.distributedlock.benchmarks.documentation;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page with measured parts, which an update replaces. Each stands between two marks;
 * everything else is written by hand and stays as it is.
 *
 * <pre>
 * &lt;!-- measured: goals --&gt;
 * ...
 * &lt;!-- end of measured: goals --&gt;
 * </pre>
 *
 * @param text the page in Markdown
 */
record MarkedPage(String text) {

	private static String begin(String part) {
		return "<!-- measured: " + part + " -->\n";
	}

	private static String end(String part) {
		return "<!-- end of measured: " + part + " -->\n";
	}

	/**
	 * Return a part with its marks.
	 */
	static String part(String name, String content) {
		return begin(name) + "\n" + content.strip() + "\n\n" + end(name);
	}

	private Matcher find(String part) {
		return Pattern.compile(Pattern.quote(begin(part)) + "(.*?)" + Pattern.quote(end(part)), Pattern.DOTALL)
			.matcher(this.text);
	}

	/**
	 * Return what a part contains.
	 * @return the content; empty if the page has no such part
	 */
	Optional<String> content(String part) {
		Matcher matcher = find(part);
		return matcher.find() ? Optional.of(matcher.group(1).strip()) : Optional.empty();
	}

	/**
	 * Replace a part.
	 * @throws IllegalStateException if the page has no such part
	 */
	MarkedPage with(String part, String content) {
		Matcher matcher = find(part);
		if (!matcher.find()) {
			throw missing(part);
		}
		return new MarkedPage(
				this.text.substring(0, matcher.start()) + part(part, content) + this.text.substring(matcher.end()));
	}

	/**
	 * Add a part after another one.
	 */
	MarkedPage withAfter(String previous, String part, String content) {
		int index = this.text.indexOf(end(previous));
		if (index < 0) {
			throw missing(previous);
		}
		index += end(previous).length();
		return new MarkedPage(this.text.substring(0, index) + "\n" + part(part, content) + this.text.substring(index));
	}

	private IllegalStateException missing(String part) {
		return new IllegalStateException("The page '" + this.text.lines().findFirst().orElse("")
				+ "' lacks the marks of its measured part '" + part + "'; restore them as\n\n" + part(part, "…"));
	}

}
