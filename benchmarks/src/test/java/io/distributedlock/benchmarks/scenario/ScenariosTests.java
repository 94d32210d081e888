package io.distributedlock.benchmarks.scenario;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.benchmarks.measure.Effort;
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
		assertThat(
				Voice.findings(scenario.title() + "\n" + scenario.description() + "\n" + scenario.extent(Effort.FULL)))
			.isEmpty();
	}

	@ParameterizedTest
	@MethodSource("scenarios")
	void extentOfATrialDiffersFromThatOfPublishedFigures(Scenario scenario) {
		assertThat(scenario.extent(Effort.TRIAL)).isNotEqualTo(scenario.extent(Effort.FULL));
	}

	@Test
	void extentIsThatOfWhatIsMeasured() {
		assertThat(new DistinctKeys().extent(Effort.FULL)).isEqualTo("7 rounds of 1 s after 2 s of warm-up");
		assertThat(new HotKeyAcrossJvms().extent(Effort.FULL)).isEqualTo("2 rounds of 1.5 s after 1 s of warm-up,"
				+ " then 1 round of 2 s after 1 s of warm-up to pass the lock to and fro");
		assertThat(new StoreDown().extent(Effort.FULL))
			.isEqualTo("32 calls with each wait time in one outage of each kind");
		assertThat(new MemoryUse().extent(Effort.FULL)).isEqualTo("10,000 leases and waiters, up to 100,000 keys");
		assertThat(new AnnotationOverhead().extent(Effort.FULL)).isEqualTo("7 rounds of 1 s after 6 s of warm-up");
		assertThat(new StartupCost().extent(Effort.FULL)).isEqualTo("7 starts of each kind");
	}

}
