package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.benchmarks.contest.Work;

/**
 * A chart of horizontal bars in groups.
 *
 * @param title what it shows, and the unit
 * @param bars the bars from top to bottom
 */
public record Chart(String title, List<Bar> bars) {

	// More would need scrolling on most screens.
	private static final int MOST_BARS = 32;

	public static Chart of(String title) {
		return new Chart(title, new ArrayList<>());
	}

	/**
	 * Add a bar.
	 * @param group bars that follow each other with the same group are drawn together
	 * @param label the label of the bar
	 * @param value its length
	 * @param work whose bar it is, which determines its color
	 * @return this chart
	 */
	public Chart bar(String group, String label, double value, Work work) {
		this.bars.add(new Bar(group, label, value, work));
		return this;
	}

	/**
	 * Draw the chart. A long one is drawn in several parts with the same scale.
	 * @return the SVG documents, which suit light and dark pages
	 */
	public List<String> svgs() {
		double most = this.bars.stream()
			.mapToDouble(Bar::value)
			.filter((value) -> Double.isFinite(value) && value > 0)
			.max()
			.orElse(1);
		return parts().stream().map((part) -> new ChartDrawing(part, most).svg()).toList();
	}

	private List<Chart> parts() {
		List<List<Bar>> parts = new ArrayList<>(List.of(new ArrayList<>()));
		for (List<Bar> group : groups()) {
			List<Bar> part = parts.get(parts.size() - 1);
			if (!part.isEmpty() && part.size() + group.size() > MOST_BARS) {
				part = new ArrayList<>();
				parts.add(part);
			}
			part.addAll(group);
		}
		if (parts.size() == 1) {
			return List.of(this);
		}
		List<Chart> charts = new ArrayList<>();
		for (List<Bar> part : parts) {
			charts.add(new Chart("%s (%d of %d)".formatted(this.title, charts.size() + 1, parts.size()), part));
		}
		return charts;
	}

	List<List<Bar>> groups() {
		List<List<Bar>> groups = new ArrayList<>();
		for (Bar bar : this.bars) {
			List<Bar> last = groups.isEmpty() ? null : groups.get(groups.size() - 1);
			if (last == null || !last.get(0).group().equals(bar.group())) {
				last = new ArrayList<>();
				groups.add(last);
			}
			last.add(bar);
		}
		return groups;
	}

	/**
	 * A bar.
	 *
	 * @param group the group that it belongs to
	 * @param label its label
	 * @param value its length
	 * @param work whose bar it is
	 */
	public record Bar(String group, String label, double value, Work work) {
	}

}
