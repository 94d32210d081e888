package io.distributedlock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.benchmarks.scenario.Plan;
import io.distributedlock.benchmarks.scenario.Scenario;
import io.distributedlock.benchmarks.scenario.Scenarios;

/**
 * Runs scenarios, prints their results and keeps them in a folder.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Run scenarios.
	 * @param args {@code quick}, {@code all} or names of scenarios; options are
	 * {@code --trial}, {@code --stores=}, {@code --threads=} and {@code --results=}
	 * @throws Exception if a scenario failed
	 */
	public static void main(String[] args) throws Exception {
		// The drivers would log each command.
		LoggingSystem logging = LoggingSystem.get(Benchmarks.class.getClassLoader());
		logging.setLogLevel(null, LogLevel.WARN);
		Arguments arguments = Arguments.parse(args);
		Results results = new Results(arguments.results());
		for (Scenario scenario : arguments.scenarios()) {
			long start = System.nanoTime();
			print("== " + scenario.name());
			Report report = scenario.run(arguments.plan());
			results.write(scenario.name(), report);
			report.tables().stream().map(Table::plain).forEach(Benchmarks::print);
			report.goals().stream().map(Goal::markdown).forEach(Benchmarks::print);
			print("== " + scenario.name() + " took " + Duration.ofNanos(System.nanoTime() - start).toSeconds()
					+ " s\n");
		}
		// The servers end before their clients, which need not be logged.
		logging.setLogLevel(null, LogLevel.OFF);
		System.exit(0);
	}

	static void print(String line) {
		System.out.println(line);
	}

	/**
	 * The command line.
	 *
	 * @param scenarios what to run
	 * @param plan how to run it
	 * @param results where the results go
	 */
	private record Arguments(List<Scenario> scenarios, Plan plan, Path results) {

		static Arguments parse(String[] args) {
			List<Scenario> scenarios = new ArrayList<>();
			Effort effort = Effort.FULL;
			List<Integer> threads = List.of(1, 8, 64);
			List<Store> stores = Stores.all();
			Path results = Path.of("target", "results");
			for (String arg : args) {
				String value = arg.substring(arg.indexOf('=') + 1);
				if (arg.equals("quick")) {
					effort = Effort.QUICK;
					threads = List.of(1, 8);
					scenarios.addAll(Scenarios.quick());
				}
				else if (arg.equals("all")) {
					scenarios.addAll(Scenarios.all());
				}
				else if (arg.equals("--trial")) {
					effort = Effort.TRIAL;
				}
				else if (arg.equals("--quick")) {
					effort = Effort.QUICK;
				}
				else if (arg.startsWith("--stores=")) {
					stores = Arrays.stream(value.split(",")).map(Stores::named).toList();
				}
				else if (arg.startsWith("--threads=")) {
					threads = Arrays.stream(value.split(",")).map(Integer::valueOf).toList();
				}
				else if (arg.startsWith("--results=")) {
					results = Path.of(value);
				}
				else {
					scenarios.add(scenario(arg));
				}
			}
			return new Arguments(scenarios, new Plan(effort, threads, stores, (line) -> print("-- " + line)), results);
		}

		private static Scenario scenario(String name) {
			return Scenarios.all()
				.stream()
				.filter((scenario) -> scenario.name().equals(name))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("There is no scenario '" + name + "', only "
						+ Scenarios.all().stream().map(Scenario::name).collect(Collectors.joining(", "))));
		}

	}

}
