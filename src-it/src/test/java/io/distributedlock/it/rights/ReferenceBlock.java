package io.distributedlock.it.rights;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Blocks of code of the documentation, which tests run as a reader copies them. A comment
 * in the line before a block names it.
 */
public final class ReferenceBlock {

	private static final Path DOCUMENTS = Path.of("..", "docs");

	private static final String FENCE = "```";

	private ReferenceBlock() {
	}

	/**
	 * Return the lines of a block, without blank ones and indentation.
	 * @param name the name, as in {@code <!-- rights-redis -->}
	 * @return at least one line
	 * @throws AssertionError if the documentation has no such block, or several
	 */
	public static List<String> lines(String name) {
		return lines(name, document());
	}

	static List<String> lines(String name, List<String> document) {
		String mark = "<!-- " + name + " -->";
		List<String> stripped = document.stream().map(String::strip).toList();
		int begin = stripped.indexOf(mark) + 1;
		if (begin == 0 || stripped.lastIndexOf(mark) != begin - 1) {
			throw new AssertionError(
					DOCUMENTS + " needs exactly one line '" + mark + "', before the block of code that tests run");
		}
		List<String> rest = stripped.subList(begin, stripped.size());
		int end = rest.subList(Math.min(1, rest.size()), rest.size()).indexOf(FENCE) + 1;
		if (rest.isEmpty() || !rest.get(0).startsWith(FENCE) || end <= 1) {
			throw new AssertionError(DOCUMENTS + " has no block of code in the line after '" + mark + "'");
		}
		return rest.subList(1, end).stream().filter((line) -> !line.isEmpty()).toList();
	}

	/**
	 * Return the only line of a block.
	 * @param name the name
	 * @return the line
	 * @throws AssertionError if the documentation has no such block, or it has several
	 * lines
	 */
	public static String line(String name) {
		List<String> lines = lines(name);
		if (lines.size() != 1) {
			throw new AssertionError("The block '" + name + "' of " + DOCUMENTS + " should have one line: " + lines);
		}
		return lines.get(0);
	}

	private static Stream<String> read(Path file) {
		try {
			return Files.readAllLines(file).stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> document() {
		try (Stream<Path> files = Files.walk(DOCUMENTS)) {
			return files.filter((file) -> file.toString().endsWith(".md"))
				.sorted()
				.flatMap(ReferenceBlock::read)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
