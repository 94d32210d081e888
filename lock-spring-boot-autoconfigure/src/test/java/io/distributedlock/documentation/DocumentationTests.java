package io.distributedlock.documentation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the pages of the documentation can be found and read.
 */
class DocumentationTests {

	private static final int MOST_WORDS_OF_A_PAGE = 1_700;

	private static final int MOST_WORDS_OF_A_SENTENCE = 40;

	static List<Page> pages() {
		return Page.all();
	}

	/**
	 * Pages that are read from top to bottom. The changelog is a list that grows.
	 */
	static List<Page> readPages() {
		return Page.all().stream().filter((page) -> !page.path().equals(Path.of("CHANGELOG.md"))).toList();
	}

	static List<Page> documents() {
		return Page.all().stream().filter((page) -> page.path().startsWith("docs")).toList();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void linksLeadToWhatExists(Page page) {
		List<String> broken = page.links().stream().filter((link) -> !link.matches("https?:.*")).filter((link) -> {
			String[] parts = link.split("#", 2);
			Path target = page.resolve(parts[0]);
			return !Files.exists(target) || (parts.length == 2
					&& !Page.of(Page.ROOT.relativize(target).toString()).anchors().contains(parts[1]));
		}).toList();

		assertThat(broken).isEmpty();
	}

	@Test
	void everyPageIsReachedFromTheIndex() {
		Set<Path> reached = new HashSet<>();
		Deque<Path> open = new ArrayDeque<>(List.of(Page.ROOT.resolve("docs/README.md")));
		while (!open.isEmpty()) {
			Path next = open.pop();
			if (next.toString().endsWith(".md") && reached.add(next)) {
				Page page = Page.of(Page.ROOT.relativize(next).toString());
				page.links()
					.stream()
					.filter((link) -> !link.matches("https?:.*"))
					.forEach((link) -> open.add(page.resolve(link.split("#", 2)[0])));
			}
		}

		assertThat(documents()).extracting((page) -> Page.ROOT.resolve(page.path()))
			.hasSizeGreaterThan(30)
			.allSatisfy((page) -> assertThat(reached).contains(page));
	}

	@ParameterizedTest
	@MethodSource("documents")
	void aPageWithSeveralSectionsListsThem(Page page) {
		List<String> sections = page.headings(2).stream().map((heading) -> "#" + Page.anchor(heading)).toList();
		boolean needsList = sections.size() > 1 && page.path().getNameCount() > 1
				&& !page.path().startsWith(Path.of("docs", "decisions"));

		if (needsList) {
			assertThat(page.links()).containsSubsequence(sections);
		}
	}

	@ParameterizedTest
	@MethodSource("documents")
	void aPageCanBeReadInOneSitting(Page page) {
		assertThat(page.words()).isLessThanOrEqualTo(MOST_WORDS_OF_A_PAGE);
	}

	@ParameterizedTest
	@MethodSource("readPages")
	void sentencesAreShort(Page page) {
		List<String> tooLong = page.sentences()
			.stream()
			.filter((sentence) -> sentence.split("\\s+").length > MOST_WORDS_OF_A_SENTENCE)
			.toList();

		assertThat(tooLong).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void wordsArePlain(Page page) {
		List<String> findings = page.sentences()
			.stream()
			.flatMap((sentence) -> Voice.findings(sentence).stream().map((finding) -> finding + ": " + sentence))
			.toList();

		assertThat(findings).isEmpty();
	}

}
