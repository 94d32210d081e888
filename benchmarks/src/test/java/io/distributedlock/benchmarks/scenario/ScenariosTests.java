package io.distributedlock.benchmarks.scenario;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.documentation.Voice;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the texts of scenarios suit the pages into which they are written.
 */
class ScenariosTests {

	private static final int MOST_WORDS_OF_A_SENTENCE = 40;

	static List<Scenario> scenarios() {
		return Scenarios.all();
	}

	@Test
	void namesAreUnique() {
		assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
		assertThat(Scenarios.quick())
			.allSatisfy((scenario) -> assertThat(Scenarios.all()).extracting(Scenario::name).contains(scenario.name()));
	}

	@ParameterizedTest
	@MethodSource("scenarios")
	void namesSuitACommandLineAndAFile(Scenario scenario) {
		assertThat(scenario.name()).matches("[a-z][a-z0-9]*(-[a-z0-9]+)*");
		assertThat(scenario.title()).isNotBlank().doesNotContain("|", "[", "\n");
	}

	@ParameterizedTest
	@MethodSource("scenarios")
	void descriptionsArePlainAndShort(Scenario scenario) {
		List<String> sentences = Stream.of(scenario.description().split("(?<=[.:;?!])\\s+")).toList();

		assertThat(sentences).isNotEmpty()
			.allSatisfy((sentence) -> assertThat(sentence.split("\\s+"))
				.hasSizeLessThanOrEqualTo(MOST_WORDS_OF_A_SENTENCE));
		assertThat(Voice.findings(scenario.title() + "\n" + scenario.description())).isEmpty();
	}

}
