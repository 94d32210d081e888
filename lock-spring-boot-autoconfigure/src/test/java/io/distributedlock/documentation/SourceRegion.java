package io.distributedlock.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A part of a test that a page shows, between the comments {@code tag::name[]} and
 * {@code end::name[]}. A page names it in the line before its block, as
 * {@code source-name}.
 *
 * @param name its name
 * @param file the file that contains it
 * @param text its lines without their common indentation
 */
record SourceRegion(String name, Path file, String text) {

	private static final Pattern BEGIN = Pattern.compile("\\s*// tag::(\\S+)\\[]");

	/**
	 * Return the regions of all tests.
	 */
	static List<SourceRegion> all() {
		return tests().flatMap((file) -> in(file, read(file)).stream()).toList();
	}

	/**
	 * Return the source files of all tests.
	 */
	static Stream<Path> tests() {
		return Stream.of("lock-spring-boot-autoconfigure", "src-it", "benchmarks").flatMap((module) -> {
			try (Stream<Path> files = Files.walk(Page.ROOT.resolve(module).resolve("src/test/java"))) {
				return files.filter((file) -> file.toString().endsWith(".java")).sorted().toList().stream();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	private static List<String> read(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static List<SourceRegion> in(Path file, List<String> lines) {
		List<SourceRegion> regions = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			Matcher begin = BEGIN.matcher(lines.get(i));
			if (begin.matches()) {
				String name = begin.group(1);
				List<String> rest = lines.subList(i + 1, lines.size());
				int end = rest.stream().map(String::strip).toList().indexOf("// end::" + name + "[]");
				if (end < 0) {
					throw new AssertionError(file + ":" + (i + 1) + " begins a region that does not end");
				}
				String text = String.join("\n", rest.subList(0, end)).stripTrailing().stripIndent().strip();
				regions.add(new SourceRegion(name, file, text));
			}
		}
		return regions;
	}

}
