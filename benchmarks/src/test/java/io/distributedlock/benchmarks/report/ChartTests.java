package io.distributedlock.benchmarks.report;

import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import io.distributedlock.benchmarks.contest.Work;

import static org.assertj.core.api.Assertions.assertThat;

class ChartTests {

	private final Chart chart = Chart.of("Redis: \"pairs\" <per> second & more");

	@Test
	void aChartIsADocumentWithATitleAndADescription() throws Exception {
		this.chart.bar("1 thread", "bare commands", 1_000, Work.BARE).bar("1 thread", "a & b <c>", 500, Work.SUBJECT);

		Element svg = only(this.chart).getDocumentElement();

		assertThat(svg.getAttribute("role")).isEqualTo("img");
		assertThat(svg.getAttribute("aria-labelledby")).isEqualTo("title description");
		assertThat(texts(svg, "title")).containsExactly("Redis: \"pairs\" <per> second & more");
		assertThat(texts(svg, "desc")).containsExactly("1 thread, bare commands: 1,000; 1 thread, a & b <c>: 500");
	}

	@Test
	void lengthsAreInProportionAndStayInside() throws Exception {
		this.chart.bar("", "all", 1_000, Work.BARE)
			.bar("", "half", 500, Work.SUBJECT)
			.bar("", "none", 0, Work.SAME)
			.bar("", "unknown", Double.NaN, Work.LESS)
			.bar("", "a label that is longer than what a telephone has place for", 1, Work.LESS);

		List<Element> bars = bars(only(this.chart));

		assertThat(bars).extracting((bar) -> bar.getAttribute("class"))
			.containsExactly("BARE", "SUBJECT", "SAME", "LESS", "LESS");
		int all = width(bars.get(0));
		assertThat(width(bars.get(1))).isBetween(all / 2 - 1, all / 2 + 1);
		assertThat(bars.subList(2, 5)).extracting(ChartTests::width).containsExactly(0, 0, 1);
		assertThat(Integer.parseInt(bars.get(0).getAttribute("x")) + all).isLessThan(480);
	}

	@Test
	void aChartSuitsLightAndDarkPages() {
		this.chart.bar("", "all", 1, Work.SUBJECT);

		assertThat(this.chart.svgs().get(0)).contains("prefers-color-scheme: dark", "class=\"page\"");
	}

	@Test
	void aLongChartIsDrawnInPartsWithTheSameScale() throws Exception {
		IntStream.range(0, 15).forEach((group) -> {
			for (int bar = 0; bar < 4; bar++) {
				this.chart.bar("group " + group, "bar " + bar, (group == 0) ? 1_000 : 500, Work.SUBJECT);
			}
		});

		List<String> parts = this.chart.svgs();

		assertThat(parts).hasSize(2);
		Document first = parse(parts.get(0));
		Document second = parse(parts.get(1));
		assertThat(texts(second.getDocumentElement(), "title").get(0)).endsWith("(2 of 2)");
		assertThat(bars(first)).hasSize(32);
		assertThat(bars(second)).hasSize(28)
			.allSatisfy((bar) -> assertThat(width(bar)).isEqualTo(width(bars(first).get(5))));
	}

	@Test
	void aChartWithoutBarsIsADocument() throws Exception {
		assertThat(bars(only(this.chart))).isEmpty();
	}

	private static Document only(Chart chart) throws Exception {
		assertThat(chart.svgs()).hasSize(1);
		return parse(chart.svgs().get(0));
	}

	private static Document parse(String svg) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
	}

	/**
	 * Return the bars, without the page and the legend.
	 */
	private static List<Element> bars(Document svg) {
		return elements(svg.getDocumentElement(), "rect").stream()
			.filter((rect) -> !rect.getAttribute("class").equals("page") && !rect.getAttribute("x").equals("12"))
			.toList();
	}

	private static int width(Element bar) {
		return Integer.parseInt(bar.getAttribute("width"));
	}

	private static List<String> texts(Element svg, String name) {
		return elements(svg, name).stream().map(Element::getTextContent).toList();
	}

	private static List<Element> elements(Element svg, String name) {
		NodeList nodes = svg.getElementsByTagName(name);
		return IntStream.range(0, nodes.getLength()).mapToObj((i) -> (Element) nodes.item(i)).toList();
	}

}
