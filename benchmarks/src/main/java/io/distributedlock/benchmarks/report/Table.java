package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A table of results.
 *
 * @param title what it shows
 * @param columns the heads of the columns
 * @param rows the cells
 */
public record Table(String title, List<String> columns, List<List<String>> rows) {

	/**
	 * Create a table without rows.
	 * @param title what it shows
	 * @param columns the heads of the columns
	 * @return the table, to which rows are added
	 */
	public static Table of(String title, String... columns) {
		return new Table(title, List.of(columns), new ArrayList<>());
	}

	/**
	 * Add a row.
	 * @param cells a cell for each column
	 * @return this table
	 */
	public Table row(String... cells) {
		if (cells.length != this.columns.size()) {
			throw new IllegalArgumentException(
					"A row of '" + this.title + "' has " + cells.length + " cells instead of " + this.columns.size());
		}
		this.rows.add(List.of(cells));
		return this;
	}

	/**
	 * Return the table for a page.
	 * @return lines in Markdown
	 */
	public String markdown() {
		StringBuilder text = new StringBuilder("**" + this.title + "**\n\n");
		text.append(line(this.columns));
		text.append("|---").append("|---:".repeat(this.columns.size() - 1)).append("|\n");
		this.rows.forEach((row) -> text.append(line(row)));
		return text.toString();
	}

	/**
	 * Return the table for a terminal.
	 * @return lines with aligned columns
	 */
	public String plain() {
		List<List<String>> lines = new ArrayList<>(List.of(this.columns));
		lines.addAll(this.rows);
		List<Integer> widths = new ArrayList<>(Collections.nCopies(this.columns.size(), 0));
		for (List<String> line : lines) {
			for (int column = 0; column < line.size(); column++) {
				widths.set(column, Math.max(widths.get(column), line.get(column).length()));
			}
		}
		return lines.stream()
			.map((line) -> aligned(line, widths))
			.collect(Collectors.joining("\n", this.title + "\n", "\n"));
	}

	private static String aligned(List<String> line, List<Integer> widths) {
		StringBuilder text = new StringBuilder();
		for (int column = 0; column < line.size(); column++) {
			String left = (column == 0) ? "-" : "";
			text.append(String.format("  %" + left + widths.get(column) + "s", line.get(column)));
		}
		return text.toString();
	}

	private static String line(List<String> cells) {
		return cells.stream().map(Table::cell).collect(Collectors.joining(" | ", "| ", " |\n"));
	}

	/**
	 * Return a text as it can stand in a cell in Markdown.
	 */
	static String cell(String text) {
		return text.replace("|", "\\|").replace("\n", " ");
	}

	/**
	 * Format a number for a cell, with as many digits as are worth reading.
	 * @param number the number
	 * @return for example {@code 12,300}, {@code 45.6} or {@code 0.78}
	 */
	public static String number(double number) {
		double size = Math.abs(number);
		String format = (size >= 100) ? "%,.0f" : (size >= 10) ? "%.1f" : "%.2f";
		return String.format(Locale.ROOT, format, number);
	}

}
