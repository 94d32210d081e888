package io.distributedlock.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.scenario.Scenario;
import io.distributedlock.benchmarks.scenario.Scenarios;

/**
 * The command line.
 */
final class Arguments {

	private static final List<Integer> THREADS = List.of(1, 8, 64);

	private static final List<Integer> QUICK_THREADS = List.of(1, 8);

	private static final int MOST_THREADS = 10_000;

	private final Map<String, Scenario> scenarios = new LinkedHashMap<>();

	private Effort effort = Effort.FULL;

	private List<Integer> threads = THREADS;

	private List<Store> stores = Stores.all();

	private List<Path> builds = List.of();

	private Path results;

	private Path docs;

	private boolean updateDocs;

	private boolean help;

	private Arguments(Path project) {
		this.results = project.resolve("benchmarks/target/results");
		this.docs = project.resolve("docs");
	}

	/**
	 * Read a command line.
	 * @param project the folder of the project
	 * @param arguments the arguments
	 * @throws IllegalArgumentException if one is not known; the message lists those that
	 * are
	 */
	static Arguments parse(Path project, String... arguments) {
		Arguments parsed = new Arguments(project);
		for (String argument : arguments) {
			parsed.add(argument);
		}
		parsed.help |= parsed.scenarios.isEmpty() && !parsed.updateDocs;
		return parsed;
	}

	private void add(String argument) {
		int equals = argument.indexOf('=');
		String name = (equals < 0) ? argument : argument.substring(0, equals);
		String value = argument.substring(equals + 1);
		if (equals < 0) {
			addWithoutValue(name);
			return;
		}
		switch (name) {
			case "--stores" -> {
				this.stores = list(value, Arguments::store);
			}
			case "--threads" -> {
				this.threads = list(value, Arguments::threads);
			}
			case "--against" -> {
				this.builds = list(value, Arguments::build);
			}
			case "--results" -> {
				this.results = Path.of(value);
			}
			case "--docs" -> {
				this.docs = Path.of(value);
			}
			default -> throw unknown(argument);
		}
	}

	private void addWithoutValue(String argument) {
		switch (argument) {
			case "quick" -> {
				this.effort = Effort.QUICK;
				this.threads = QUICK_THREADS;
				add(Scenarios.quick());
			}
			case "all" -> add(Scenarios.all());
			case "--quick" -> {
				this.effort = Effort.QUICK;
			}
			case "--trial" -> {
				this.effort = Effort.TRIAL;
			}
			case "--update-docs" -> {
				this.updateDocs = true;
			}
			case "--help", "-h" -> {
				this.help = true;
			}
			default -> add(List.of(Scenarios.all()
				.stream()
				.filter((scenario) -> scenario.name().equals(argument))
				.findFirst()
				.orElseThrow(() -> unknown(argument))));
		}
	}

	private void add(List<Scenario> more) {
		more.forEach((scenario) -> this.scenarios.putIfAbsent(scenario.name(), scenario));
	}

	private static <T> List<T> list(String value, Function<String, T> element) {
		return Arrays.stream(value.split(",")).map(String::strip).map(element).distinct().toList();
	}

	private static Store store(String name) {
		return Stores.all()
			.stream()
			.filter((store) -> store.name().equalsIgnoreCase(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no store '" + name + "', only " + storeNames()));
	}

	private static Path build(String path) {
		Path build = Path.of(path).toAbsolutePath().normalize();
		if (!Files.exists(build)) {
			throw new IllegalArgumentException("There is no build at '" + path + "', neither a folder nor a JAR file");
		}
		return build;
	}

	private static Integer threads(String value) {
		if (!value.matches("\\d{1,5}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > MOST_THREADS) {
			throw new IllegalArgumentException("'" + value + "' is no number of threads from 1 to " + MOST_THREADS);
		}
		return Integer.valueOf(value);
	}

	private static IllegalArgumentException unknown(String argument) {
		String kind = argument.startsWith("-") ? "option" : "scenario";
		return new IllegalArgumentException("There is no " + kind + " '" + argument + "'.\n\n" + usage());
	}

	private static String storeNames() {
		return Stores.all().stream().map(Store::name).collect(Collectors.joining(", "));
	}

	/**
	 * Return how the command is used.
	 */
	static String usage() {
		int width = Scenarios.all().stream().mapToInt((scenario) -> scenario.name().length()).max().orElse(0);
		String scenarios = Stream
			.concat(Stream.of(line("quick", "a first impression of every store, about five minutes", width),
					line("all", "all scenarios, at most an hour", width)),
					Scenarios.all().stream().map((scenario) -> line(scenario.name(), scenario.title(), width)))
			.collect(Collectors.joining("\n"));
		return """
				benchmarks/run SCENARIO... [OPTION...]

				Scenarios:
				%s

				Options:
				  --stores=A,B   only these stores of %s
				  --threads=1,8  only these numbers of threads
				  --against=A,B  measure builds of this project instead of other libraries: the classes of its
				                 auto-configuration, a folder or a JAR file, beside the current ones
				  --quick        short rounds
				  --trial        rounds that only show that everything works
				  --results=DIR  keep the results there instead of benchmarks/target/results
				  --update-docs  write docs/performance.md and its pages from all results that are complete:
				                 measured on all stores, with all numbers of threads, and not as a trial.
				                 Without a scenario it measures nothing
				  --docs=DIR     the documentation to update instead of docs
				  --help         print this""".formatted(scenarios, storeNames());
	}

	private static String line(String name, String meaning, int width) {
		return String.format(Locale.ROOT, "  %-" + Math.max(width, 13) + "s  %s", name, meaning);
	}

	List<Scenario> scenarios() {
		return List.copyOf(this.scenarios.values());
	}

	Effort effort() {
		return this.effort;
	}

	List<Integer> threads() {
		return this.threads;
	}

	List<Store> stores() {
		if (this.builds.isEmpty()) {
			return this.stores;
		}
		return this.stores.stream().<Store>map((store) -> new ComparedBuilds(store, this.builds)).toList();
	}

	Path results() {
		return this.results;
	}

	Path docs() {
		return this.docs;
	}

	boolean updatesDocs() {
		return this.updateDocs;
	}

	boolean asksForHelp() {
		return this.help;
	}

	/**
	 * Return whether everything is measured, so that documentation can be written from
	 * the figures.
	 */
	boolean isComplete() {
		return !this.effort.equals(Effort.TRIAL) && this.threads.equals(THREADS) && stores().equals(Stores.all());
	}

}
