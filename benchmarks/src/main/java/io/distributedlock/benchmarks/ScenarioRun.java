package io.distributedlock.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.documentation.DocumentationUpdate;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.MachineData;
import io.distributedlock.benchmarks.report.Measurement;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.Table;
import io.distributedlock.benchmarks.scenario.Plan;
import io.distributedlock.benchmarks.scenario.Scenario;
import io.distributedlock.benchmarks.scenario.Scenarios;

/**
 * Runs the scenarios of a command line. One that fails does not keep the others from
 * running.
 */
final class ScenarioRun {

	private final Arguments arguments;

	private final List<Scenario> scenarios;

	private final String commit;

	private final Consumer<String> out;

	private final Results results;

	private final List<String> leftOut = new ArrayList<>();

	private final List<String> failures = new ArrayList<>();

	/**
	 * Create a run.
	 * @param arguments the command line
	 * @param scenarios the scenarios that it asks for
	 * @param commit the commit of the sources
	 * @param out receives lines
	 */
	ScenarioRun(Arguments arguments, List<Scenario> scenarios, String commit, Consumer<String> out) {
		this.arguments = arguments;
		this.scenarios = scenarios;
		this.commit = commit;
		this.out = out;
		this.results = new Results(arguments.results());
	}

	/**
	 * Run.
	 * @return the exit code: 0 if nothing failed
	 * @throws IOException if earlier results can't be read
	 */
	int run() throws IOException {
		List<Store> stores = new ArrayList<>();
		for (Store store : this.arguments.stores()) {
			store.missing()
				.ifPresentOrElse((reason) -> this.leftOut.add(store.name() + " is left out: " + reason),
						() -> stores.add(store));
		}
		this.leftOut.forEach((line) -> this.out.accept("== " + line));
		List<String> names = this.scenarios.stream().map(Scenario::name).toList();
		Function<Scenario, Measurement.Setting> settings = (scenario) -> new Measurement.Setting(
				scenario.extent(this.arguments.effort()), this.arguments.threads(),
				stores.stream().map(Store::name).toList(), this.arguments.isComplete());
		Progress progress = new Progress(this.out, System::nanoTime, names, lastSeconds(settings));
		Plan plan = new Plan(this.arguments.effort(), this.arguments.threads(), stores, progress::step);
		for (Scenario scenario : this.scenarios) {
			run(scenario, plan, settings.apply(scenario), progress);
		}
		if (this.arguments.updatesDocs()) {
			updateDocs();
		}
		summary(progress);
		return this.failures.isEmpty() ? 0 : 1;
	}

	private Map<String, Long> lastSeconds(Function<Scenario, Measurement.Setting> settings) throws IOException {
		Map<String, Long> seconds = new HashMap<>();
		for (Scenario scenario : this.scenarios) {
			this.results.seconds(scenario.name(), settings.apply(scenario))
				.ifPresent((last) -> seconds.put(scenario.name(), last));
		}
		return seconds;
	}

	private void run(Scenario scenario, Plan plan, Measurement.Setting setting, Progress progress) {
		progress.begin();
		try {
			Report report = scenario.run(plan);
			report.tables().stream().map(Table::plain).forEach(this.out);
			report.goals().stream().map(Goal::markdown).forEach(this.out);
			long seconds = progress.end("took");
			Path kept = this.results.write(scenario.name(), report, new Measurement(LocalDate.now().toString(),
					this.commit, setting, this.leftOut, seconds, MachineData.ofThisMachine()));
			this.out.accept("-- kept in " + kept + "\n");
		}
		catch (Exception | Error ex) {
			ex.printStackTrace();
			this.failures.add(scenario.name() + " failed: " + causes(ex));
			progress.end("failed after");
		}
	}

	private static String causes(Throwable failure) {
		StringBuilder text = new StringBuilder(failure.toString());
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			text.append(", caused by ").append(cause);
		}
		return text.toString();
	}

	private void updateDocs() {
		try {
			new DocumentationUpdate(this.arguments.docs(), Scenarios.all(), this.results).write()
				.forEach((line) -> this.out.accept("-- " + line));
			this.out.accept("== " + this.arguments.docs() + " is up to date");
		}
		catch (IOException | RuntimeException ex) {
			this.failures.add("the documentation stays as it is: " + causes(ex));
		}
	}

	private void summary(Progress progress) {
		this.leftOut.forEach((line) -> this.out.accept("== " + line));
		this.failures.forEach((line) -> this.out.accept("== " + line));
		this.out.accept("== scenarios: " + this.scenarios.size() + ", failures: " + this.failures.size() + ", time: "
				+ progress.total());
	}

}
