package io.distributedlock.benchmarks.scenario;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Table;

/**
 * What locks add to the startup of an application.
 */
final class StartupCost implements Scenario {

	private static final List<String> LOCKS = ImportCandidates
		.load(AutoConfiguration.class, StartupCost.class.getClassLoader())
		.getCandidates()
		.stream()
		.filter((name) -> name.startsWith("io.distributedlock."))
		.toList();

	@Override
	public String name() {
		return "startup";
	}

	@Override
	public String title() {
		return "Startup";
	}

	@Override
	public String description() {
		return "An application without beans of its own starts with and without this project's auto-configuration, in"
				+ " turns, in a JVM that has started it before; medians. The servers are running. Drivers connect at"
				+ " their first use, so the first connection is part of the difference, as is the check of the store"
				+ " (`lock.startup-check`), whose part is shown. So is the creation of tables in databases.";
	}

	@Override
	public String extent(Effort effort) {
		return effort.rounds() + ((effort.rounds() == 1) ? " start" : " starts") + " of each kind";
	}

	@Override
	public Report run(Plan plan) throws Exception {
		Report report = new Report();
		Table table = Table.of("Startup of an application", "", "without locks ms", "with locks ms", "added ms",
				"of which the check ms", "added beans", "added threads");
		for (Store store : plan.stores()) {
			plan.progress().accept(store.name());
			Address address = store.start();
			String[] properties;
			// The first start creates what the store needs.
			try (SubjectSide side = (SubjectSide) store.contestant(Contestant.SUBJECT).open(address)) {
				properties = side.properties();
			}
			measure(plan, store, properties, table);
		}
		return report.add(table);
	}

	private static void measure(Plan plan, Store store, String[] properties, Table table) {
		String[] unchecked = Stream.concat(Arrays.stream(properties), Stream.of("lock.startup-check=none"))
			.toArray(String[]::new);
		List<Start> without = new ArrayList<>();
		List<Start> with = new ArrayList<>();
		List<Start> withoutCheck = new ArrayList<>();
		for (int round = 0; round < plan.effort().rounds(); round++) {
			without.add(Start.of(properties, LOCKS));
			with.add(Start.of(properties, List.of()));
			withoutCheck.add(Start.of(unchecked, List.of()));
		}
		double base = median(without, Start::millis);
		double all = median(with, Start::millis);
		table.row(store.name(), Table.number(base), Table.number(all), Table.number(all - base),
				Table.number(all - median(withoutCheck, Start::millis)), added(with, without, Start::beans),
				added(with, without, Start::threads));
	}

	private static String added(List<Start> with, List<Start> without, Function<Start, Integer> figure) {
		return String.valueOf(Math.round(median(with, (start) -> (double) figure.apply(start))
				- median(without, (start) -> (double) figure.apply(start))));
	}

	private static double median(List<Start> starts, Function<Start, Double> figure) {
		return Samples.median(starts.stream().map(figure).toList());
	}

	/**
	 * A start of an application.
	 *
	 * @param millis how long it took
	 * @param beans how many beans it has
	 * @param threads how many threads it has started
	 */
	private record Start(double millis, int beans, int threads) {

		static Start of(String[] properties, List<String> excluded) {
			int threads = ManagementFactory.getThreadMXBean().getThreadCount();
			long begin = System.nanoTime();
			try (ConfigurableApplicationContext application = SubjectSide.application(properties, excluded)) {
				double millis = (System.nanoTime() - begin) / (double) TimeUnit.MILLISECONDS.toNanos(1);
				return new Start(millis, application.getBeanDefinitionCount(),
						ManagementFactory.getThreadMXBean().getThreadCount() - threads);
			}
		}

	}

}
