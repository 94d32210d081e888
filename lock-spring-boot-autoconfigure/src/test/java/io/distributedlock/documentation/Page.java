package io.distributedlock.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page of the documentation in Markdown.
 *
 * @param path its path below the root of the project
 * @param lines its lines
 */
record Page(Path path, List<String> lines) {

	static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Pattern FENCE = Pattern.compile("(\\s*)```(\\S*)");

	private static final Pattern BLOCK_NAME = Pattern.compile("\\s*<!-- (\\S+) -->");

	private static final Pattern MEASURED = Pattern
		.compile("(?s)<!-- measured: ([^>]+) -->\\n.*?<!-- end of measured: \\1 -->");

	private static final Pattern LINK = Pattern.compile("\\[[^]]+]\\(([^)\\s]+)\\)");

	private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.:;?!])\\s+(?=[A-Z`*(])");

	/**
	 * Return the pages that stand beside the sources, and all below {@code docs}.
	 */
	static List<Page> all() {
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs")); Stream<Path> root = Files.list(ROOT)) {
			return Stream.concat(root, docs)
				.filter((path) -> path.toString().endsWith(".md"))
				.sorted()
				.map(Page::read)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Page of(String path) {
		return read(ROOT.resolve(path));
	}

	private static Page read(Path file) {
		try {
			return new Page(ROOT.relativize(file.normalize()), Files.readAllLines(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the page or file that a relative link of this page leads to.
	 */
	Path resolve(String link) {
		Path parent = ROOT.resolve(this.path).getParent();
		return link.isEmpty() ? ROOT.resolve(this.path) : parent.resolve(link).normalize();
	}

	List<CodeBlock> blocks() {
		List<CodeBlock> blocks = new ArrayList<>();
		for (int i = 0; i < this.lines.size(); i++) {
			Matcher fence = FENCE.matcher(this.lines.get(i));
			if (fence.matches()) {
				int end = end(i);
				Matcher name = BLOCK_NAME.matcher((i > 0) ? this.lines.get(i - 1) : "");
				String text = this.lines.subList(i + 1, end)
					.stream()
					.map((line) -> line.startsWith(fence.group(1)) ? line.substring(fence.group(1).length()) : line)
					.collect(Collectors.joining("\n"));
				blocks.add(new CodeBlock(this.path.toString(), i + 2, fence.group(2),
						name.matches() ? name.group(1) : "", text));
				i = end;
			}
		}
		return blocks;
	}

	private int end(int begin) {
		for (int i = begin + 1; i < this.lines.size(); i++) {
			if (this.lines.get(i).strip().equals("```")) {
				return i;
			}
		}
		throw new AssertionError(this.path + ":" + (begin + 1) + " begins a block that does not end");
	}

	/**
	 * Return the lines outside of blocks of code.
	 */
	private List<String> text() {
		List<String> text = new ArrayList<>();
		for (int i = 0; i < this.lines.size(); i++) {
			String line = this.lines.get(i);
			if (FENCE.matcher(line).matches()) {
				i = end(i);
			}
			else if (!line.startsWith("    ")) {
				text.add(line);
			}
		}
		return text;
	}

	List<String> links() {
		return text().stream().flatMap((line) -> LINK.matcher(line).results()).map((link) -> link.group(1)).toList();
	}

	/**
	 * Return the headings of a level.
	 * @param level the number of hashes
	 */
	List<String> headings(int level) {
		String mark = "#".repeat(level) + " ";
		return text().stream()
			.filter((line) -> line.startsWith(mark))
			.map((line) -> line.substring(level + 1))
			.toList();
	}

	/**
	 * Return the anchors of all headings, as GitHub makes them.
	 */
	List<String> anchors() {
		return Stream.of(1, 2, 3, 4).flatMap((level) -> headings(level).stream()).map(Page::anchor).toList();
	}

	static String anchor(String heading) {
		return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
	}

	/**
	 * Count the words, those of code and tables included. The figures that benchmarks
	 * write between two marks are looked up and not read.
	 */
	int words() {
		return (int) MEASURED.matcher(String.join("\n", this.lines))
			.replaceAll("")
			.lines()
			.flatMap((line) -> Stream.of(line.split("[\\s|]+")))
			.filter((word) -> word.matches(".*[\\p{L}\\p{N}].*"))
			.count();
	}

	/**
	 * Return the sentences outside of code, each with its words. A cell of a table, an
	 * entry of a list and a paragraph end a sentence.
	 */
	List<String> sentences() {
		List<String> sentences = new ArrayList<>();
		StringBuilder paragraph = new StringBuilder();
		for (String line : Stream.concat(text().stream(), Stream.of("")).toList()) {
			String text = line.strip();
			boolean begins = text.isEmpty() || text.matches("([*-]|\\d+\\.|#+|\\||<!--).*");
			if (begins) {
				Stream.of(SENTENCE_END.split(paragraph)).filter((part) -> !part.isBlank()).forEach(sentences::add);
				paragraph.setLength(0);
			}
			if (text.startsWith("|")) {
				Stream.of(text.split("(?<!\\\\)\\|"))
					.flatMap((cell) -> Stream.of(SENTENCE_END.split(cell.strip())))
					.filter((part) -> !part.isBlank())
					.forEach(sentences::add);
			}
			else if (!text.isEmpty()) {
				paragraph.append(text).append(' ');
			}
		}
		return sentences;
	}

	@Override
	public String toString() {
		return this.path.toString();
	}

}
