package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/**
 * What a scenario has measured. Its lists are filled while it runs.
 *
 * @param tables the figures
 * @param charts the most important of them as pictures
 * @param goals what was to be reached
 */
public record Report(List<Table> tables, List<Chart> charts, List<Goal> goals) {

	public Report() {
		this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
	}

	public Report add(Table table) {
		this.tables.add(table);
		return this;
	}

	public Report add(Chart chart) {
		this.charts.add(chart);
		return this;
	}

	public Report add(Goal goal) {
		this.goals.add(goal);
		return this;
	}

}
