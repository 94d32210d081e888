package io.distributedlock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.scenario.Scenario;
import io.distributedlock.benchmarks.scenario.Scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ArgumentsTests {

	private static final Path PROJECT = Path.of("..");

	@Test
	void allScenariosRunWithAllStores() {
		Arguments arguments = parse("all");

		assertThat(names(arguments.scenarios())).isEqualTo(names(Scenarios.all()));
		assertThat(arguments.stores()).isEqualTo(Stores.all());
		assertThat(arguments.effort()).isEqualTo(Effort.FULL);
		assertThat(arguments.isComplete()).isTrue();
		assertThat(arguments.updatesDocs()).isFalse();
	}

	@Test
	void aQuickRunIsNotComplete() {
		Arguments arguments = parse("quick");

		assertThat(names(arguments.scenarios())).isEqualTo(names(Scenarios.quick()));
		assertThat(arguments.threads()).containsExactly(1, 8);
		assertThat(arguments.effort()).isEqualTo(Effort.QUICK);
		assertThat(arguments.isComplete()).isFalse();
	}

	@Test
	void optionsNarrowARun() {
		Arguments arguments = parse("distinct-keys", "--stores=redis", "--threads=2, 16", "--trial", "--results=r",
				"--docs=d", "--update-docs", "distinct-keys");

		assertThat(arguments.scenarios()).extracting(Scenario::name).containsExactly("distinct-keys");
		assertThat(arguments.stores()).extracting(Store::name).containsExactly("Redis");
		assertThat(arguments.threads()).containsExactly(2, 16);
		assertThat(arguments.effort()).isEqualTo(Effort.TRIAL);
		assertThat(arguments.results()).isEqualTo(Path.of("r"));
		assertThat(arguments.docs()).isEqualTo(Path.of("d"));
		assertThat(arguments.updatesDocs()).isTrue();
		assertThat(arguments.isComplete()).isFalse();
	}

	@Test
	void withoutAScenarioHelpIsPrinted() {
		assertThat(parse().asksForHelp()).isTrue();
		assertThat(parse("--threads=1").asksForHelp()).isTrue();
		assertThat(parse("all", "--help").asksForHelp()).isTrue();
		assertThat(parse("--update-docs").asksForHelp()).isFalse();
		assertThat(parse("all").asksForHelp()).isFalse();
	}

	@Test
	void helpListsScenariosStoresAndOptions() {
		assertThat(Arguments.usage()).contains(Scenarios.all().stream().map(Scenario::name).toList())
			.contains(Stores.all().stream().map(Store::name).toList())
			.contains("--stores=", "--threads=", "--quick", "--trial", "--results=", "--docs=", "--update-docs",
					"--against=");
	}

	@ParameterizedTest
	@ValueSource(strings = { "distinct", "--stores", "--store=Redis", "--fast" })
	void anUnknownArgumentIsAnsweredWithTheKnownOnes(String argument) {
		assertThatIllegalArgumentException().isThrownBy(() -> parse(argument))
			.withMessageContaining("'" + argument + "'")
			.withMessageContaining("distinct-keys")
			.withMessageContaining("--update-docs");
	}

	@Test
	void anUnknownStoreIsAnsweredWithTheKnownOnes() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("all", "--stores=Oracle"))
			.withMessageContaining("'Oracle'")
			.withMessageContaining("Redis");
	}

	@Test
	void otherBuildsTakeTheirPartInsteadOfOtherLibraries() {
		Arguments arguments = parse("distinct-keys", "--stores=Redis", "--against=src,pom.xml");

		assertThat(arguments.stores().get(0).contestants()).extracting(Contestant::name)
			.containsExactly(Contestant.BARE, Contestant.SUBJECT, "build 1", "build 2");
		assertThat(parse("all", "--against=src").isComplete()).isFalse();
	}

	@Test
	void aBuildThatIsNotThereIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("all", "--against=target/nowhere"))
			.withMessageContaining("'target/nowhere'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "many", "", "99999", "1;8" })
	void threadsAreSmallNumbers(String threads) {
		assertThatIllegalArgumentException().isThrownBy(() -> parse("all", "--threads=" + threads))
			.withMessageContaining("'" + threads + "'");
	}

	@Test
	void theCommandsOfTheDocumentationAreKnown() throws IOException {
		for (String page : List.of("CONTRIBUTING.md", "docs/performance.md", "docs/scale.md", "benchmarks/run")) {
			List<String> commands = Pattern.compile("benchmarks/run( [a-z-][^`\"\\n]*)")
				.matcher(Files.readString(PROJECT.resolve(page)))
				.results()
				.map(MatchResult::group)
				.filter((command) -> !command.contains(":"))
				.toList();

			assertThat(commands).as(page).isNotEmpty().allSatisfy((command) -> {
				String[] words = command.replace("FOLDER", "src").split(" ");
				parse(List.of(words).subList(1, words.length).toArray(String[]::new));
			});
		}
	}

	private static List<String> names(List<Scenario> scenarios) {
		return scenarios.stream().map(Scenario::name).toList();
	}

	private static Arguments parse(String... arguments) {
		return Arguments.parse(PROJECT, arguments);
	}

}
