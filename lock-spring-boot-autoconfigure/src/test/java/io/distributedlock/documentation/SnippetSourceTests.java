package io.distributedlock.documentation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that code which a page takes from a test is the code that the test runs.
 */
class SnippetSourceTests {

	/**
	 * Pages that show nothing but code and properties that tests run.
	 */
	private static final List<String> RUN = List.of("docs/recipes.md", "docs/recipes-for-requests.md",
			"docs/without-a-lock.md");

	private final List<SourceRegion> regions = SourceRegion.all();

	@Test
	void codeOnAPageIsThatOfTheTest() {
		Map<String, SourceRegion> byName = this.regions.stream()
			.collect(Collectors.toMap(SourceRegion::name, Function.identity()));

		assertThat(Page.all()).flatExtracting(Page::blocks)
			.filteredOn(CodeBlock::isSource)
			.hasSizeGreaterThan(10)
			.allSatisfy((block) -> {
				SourceRegion region = byName.get(block.sourceName());
				assertThat(region).as("the region that %s shows", block).isNotNull();
				assertThat(block.text()).as("%s, from %s", block, region.file()).isEqualTo(region.text());
			});
	}

	@Test
	void everyRegionIsOnOnePage() {
		List<String> shown = Page.all()
			.stream()
			.flatMap((page) -> page.blocks().stream())
			.filter(CodeBlock::isSource)
			.map(CodeBlock::sourceName)
			.toList();

		assertThat(this.regions).extracting(SourceRegion::name).containsExactlyInAnyOrderElementsOf(shown);
	}

	@Test
	void recipesShowNothingThatNoTestRuns() throws IOException {
		StringBuilder tests = new StringBuilder();
		for (Path file : SourceRegion.tests().toList()) {
			tests.append(Files.readString(file));
		}

		assertThat(RUN).flatExtracting((page) -> Page.of(page).blocks())
			.isNotEmpty()
			.allSatisfy((block) -> assertThat(
					block.isSource() || tests.indexOf("ShownProperties.of(\"" + block.name() + "\")") >= 0)
				.as("%s is run", block)
				.isTrue());
	}

	@Test
	void regionHasTheLinesBetweenItsCommentsWithoutTheirIndentation() {
		List<String> lines = List.of("class A {", "", "\t// tag::b[]", "\tint b() {", "\t\treturn 1;", "\t}", "",
				"\t// end::b[]", "}");

		assertThat(SourceRegion.in(Path.of("A.java"), lines))
			.containsExactly(new SourceRegion("b", Path.of("A.java"), "int b() {\n\treturn 1;\n}"));
	}

	@Test
	void regionThatDoesNotEndIsRefused() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> SourceRegion.in(Path.of("A.java"), List.of("// tag::b[]", "// end::c[]")))
			.withMessageContaining("A.java:1");
	}

}
