package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.report.Chart.Bar;

/**
 * Draws a chart as an SVG document. It is narrow, so that a telephone need not shrink it
 * much, and has a background of its own, since a page may be dark on a system that is
 * light.
 */
final class ChartDrawing {

	private static final int WIDTH = 480;

	private static final int MARGIN = 12;

	private static final int LINE = 19;

	private static final int CHARACTER = 7;

	private static final int WIDEST_LABEL = 190;

	private static final int LONGEST_LABEL = 34;

	private static final int VALUES = 66;

	private static final int CHARACTERS_OF_A_TITLE = 54;

	private static final String STYLE = """
			<style>
			text { font: 13px sans-serif; fill: #1f2328; }
			.title { font-weight: bold; font-size: 15px; }
			.group { font-weight: bold; }
			.page { fill: #ffffff; stroke: #d1d9e0; }
			.BARE { fill: #818b98; } .SUBJECT { fill: #1a7f37; } .SAME { fill: #0969da; } .LESS { fill: #80b3f0; } .BUILD { fill: #bf8700; }
			@media (prefers-color-scheme: dark) {
			text { fill: #f0f6fc; }
			.page { fill: #0d1117; stroke: #3d444d; }
			.BARE { fill: #9198a1; } .SUBJECT { fill: #3fb950; } .SAME { fill: #4493f8; } .LESS { fill: #1f4f8f; } .BUILD { fill: #d29922; }
			}
			</style>
			""";

	private final Chart chart;

	private final double most;

	private final int labels;

	private final StringBuilder body = new StringBuilder();

	// The base line of the last line that was drawn.
	private int y = MARGIN;

	ChartDrawing(Chart chart, double most) {
		this.chart = chart;
		this.most = most;
		this.labels = chart.bars()
			.stream()
			.mapToInt((bar) -> Math.min(WIDEST_LABEL, CHARACTER * bar.label().length()))
			.max()
			.orElse(0);
	}

	String svg() {
		lines(this.chart.title()).forEach((line) -> text(MARGIN, "title", line));
		for (List<Bar> group : this.chart.groups()) {
			this.y += 6;
			if (!group.get(0).group().isBlank()) {
				text(MARGIN, "group", group.get(0).group());
			}
			group.forEach(this::bar);
		}
		legend();
		int height = this.y + MARGIN;
		return """
				<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" \
				aria-labelledby="title description">
				<title id="title">%s</title>
				<desc id="description">%s</desc>
				%s<rect class="page" x="0.5" y="0.5" width="%d" height="%d" rx="6"/>
				%s</svg>
				""".formatted(WIDTH, height, WIDTH, height, escaped(this.chart.title()), escaped(description()), STYLE,
				WIDTH - 1, height - 1, this.body);
	}

	private static List<String> lines(String title) {
		List<String> lines = new ArrayList<>();
		String line = "";
		for (String word : title.strip().split("\\s+")) {
			if (!line.isEmpty() && line.length() + word.length() >= CHARACTERS_OF_A_TITLE) {
				lines.add(line);
				line = "";
			}
			line = line.isEmpty() ? word : line + " " + word;
		}
		lines.add(line);
		return lines;
	}

	private void bar(Bar bar) {
		int begin = MARGIN + this.labels + 8;
		int space = WIDTH - MARGIN - VALUES - begin;
		boolean drawable = Double.isFinite(bar.value()) && bar.value() > 0;
		long length = drawable ? Math.max(1, Math.round(space * bar.value() / this.most)) : 0;
		String label = (bar.label().length() <= LONGEST_LABEL) ? bar.label()
				: bar.label().substring(0, LONGEST_LABEL - 1) + "…";
		boolean tooWide = CHARACTER * label.length() > WIDEST_LABEL;
		this.y += LINE;
		this.body.append("<text x=\"%d\" y=\"%d\"%s>%s</text>\n".formatted(MARGIN, this.y,
				tooWide ? " textLength=\"" + WIDEST_LABEL + "\" lengthAdjust=\"spacingAndGlyphs\"" : "",
				escaped(label)));
		this.body.append("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"13\"/>\n".formatted(bar.work(),
				begin, this.y - 11, length));
		this.body
			.append("<text x=\"%d\" y=\"%d\">%s</text>\n".formatted(begin + length + 6, this.y, escaped(value(bar))));
	}

	private void legend() {
		List<Work> kinds = Arrays.stream(Work.values())
			.filter((work) -> this.chart.bars().stream().anyMatch((bar) -> bar.work() == work))
			.toList();
		if (kinds.size() < 2) {
			return;
		}
		this.y += 8;
		for (Work kind : kinds) {
			this.y += LINE;
			this.body.append("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"13\" height=\"13\"/>\n".formatted(kind,
					MARGIN, this.y - 11));
			this.body
				.append("<text x=\"%d\" y=\"%d\">%s</text>\n".formatted(MARGIN + 20, this.y, escaped(meaning(kind))));
		}
	}

	private static String meaning(Work work) {
		return switch (work) {
			case BARE -> "bare commands";
			case SUBJECT -> "this project";
			case SAME -> "another library that does the same work";
			case LESS -> "another library without waiting, renewal or token";
			case BUILD -> "another build of this project";
		};
	}

	private void text(int x, String styleClass, String text) {
		this.y += LINE;
		this.body
			.append("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n".formatted(styleClass, x, this.y, escaped(text)));
	}

	/**
	 * Return the chart in words, for readers who do not see it.
	 */
	private String description() {
		return this.chart.bars()
			.stream()
			.map((bar) -> (bar.group().isBlank() ? "" : bar.group() + ", ") + bar.label() + ": " + value(bar))
			.collect(Collectors.joining("; "));
	}

	private static String value(Bar bar) {
		return Double.isFinite(bar.value()) ? Table.number(bar.value()) : "–";
	}

	private static String escaped(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

}
