package io.distributedlock.documentation;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests that the rounded figures by which readers choose a store are close to those that
 * the benchmarks have written.
 */
class ChoosingFiguresTests {

	private static final Page DISTINCT_KEYS = Page.of("docs/performance/distinct-keys.md");

	private static final Page SEVERAL_JVMS = Page.of("docs/performance/hot-key-jvms.md");

	private static final double TOLERANCE = 0.3;

	static List<List<String>> stores() {
		return rows(Page.of("docs/choosing-a-store.md"), (cells) -> cells.get(1).matches("\\d+ µs"));
	}

	@ParameterizedTest
	@MethodSource("stores")
	void figuresAreThoseThatWereMeasured(List<String> cells) {
		String store = cells.get(0);

		assertClose(cells.get(1), measured(store, "1").get(6));
		assertClose(cells.get(2), measured(store, "8").get(2));
		List<List<String>> handOvers = rows(SEVERAL_JVMS, (row) -> row.get(0).equals(store + ", this project"));
		assertThat(handOvers).hasSize(1);
		assertClose(cells.get(4), Double.toString(number(handOvers.get(0).get(2)) / 1_000));
	}

	/**
	 * Return the row of this project in the table of a store.
	 */
	private static List<String> measured(String store, String threads) {
		List<String> lines = DISTINCT_KEYS.lines();
		int title = lines.indexOf("**" + store + "**");
		assertThat(title).as("the table of %s", store).isNotNegative();
		Page rest = new Page(DISTINCT_KEYS.path(), lines.subList(title, lines.size()));
		return rows(rest, (cells) -> cells.get(0).equals("this project") && cells.get(1).equals(threads)).get(0);
	}

	private static List<List<String>> rows(Page page, Predicate<List<String>> filter) {
		return page.lines()
			.stream()
			.filter((line) -> line.startsWith("| "))
			.map((line) -> Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList())
			.filter((cells) -> cells.size() > 2)
			.filter(filter)
			.toList();
	}

	private static void assertClose(String shown, String measured) {
		assertThat(number(shown)).isCloseTo(number(measured), within(number(measured) * TOLERANCE));
	}

	private static double number(String text) {
		return Double.parseDouble(text.replaceAll("^([\\d,.]+).*", "$1").replace(",", ""));
	}

}
