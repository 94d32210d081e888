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

	private static final int LABELS = 250;

	private static final int LENGTH = 420;

	private static final int WIDTH = 780;

	private static final int HEIGHT = 18;

	private static final String STYLE = """
			<style>
			text { font: 12px sans-serif; fill: #24292f; }
			.title { font-weight: bold; font-size: 14px; }
			.group { font-weight: bold; }
			.BARE { fill: #8c959f; } .SUBJECT { fill: #1a7f37; } .SAME { fill: #0969da; } .LESS { fill: #a8c7ee; }
			@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .LESS { fill: #35557d; } }
			</style>
			""";

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
	 * Draw the chart.
	 * @return an SVG document, which suits light and dark pages
	 */
	public String svg() {
		double most = this.bars.stream().mapToDouble(Bar::value).max().orElse(1);
		StringBuilder body = new StringBuilder();
		int y = 20;
		body.append(text(0, y, "title", this.title));
		String group = "";
		for (Bar bar : this.bars) {
			if (!bar.group().equals(group)) {
				group = bar.group();
				y += HEIGHT + 8;
				body.append(text(0, y, "group", group));
			}
			y += HEIGHT;
			body.append(text(12, y, "label", bar.label()));
			long length = Math.max(1, Math.round(LENGTH * bar.value() / most));
			body.append("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\"/>\n".formatted(bar.work(),
					LABELS, y - 10, length));
			body.append(text(LABELS + length + 6, y, "value", Table.number(bar.value())));
		}
		int height = y + 12;
		return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
			.formatted(WIDTH, height, WIDTH, height) + STYLE + body + "</svg>\n";
	}

	private static String text(long x, int y, String styleClass, String text) {
		String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
		return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n".formatted(styleClass, x, y, escaped);
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
