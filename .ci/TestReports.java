import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Reads the reports of Surefire and Failsafe below the current directory. Runs from its
 * source: {@code java .ci/TestReports.java red}.
 * <ul>
 * <li>{@code red} prints a line for each test that failed, its fields separated by tabs:
 * module, {@code test} or {@code it.test}, class, test, first line of the failure.</li>
 * <li>{@code count} prints how many tests there were, and how many of them were
 * skipped.</li>
 * </ul>
 */
class TestReports {

	private static final String SUREFIRE = "surefire-reports";

	private static final String FAILSAFE = "failsafe-reports";

	public static void main(String[] arguments) throws Exception {
		List<Report> reports = reports();
		switch (arguments[0]) {
			case "red" -> reports.stream().flatMap(TestReports::red).distinct().forEach(System.out::println);
			case "count" -> System.out.println(count(reports));
			default -> throw new IllegalArgumentException("'" + arguments[0] + "' is neither 'red' nor 'count'");
		}
	}

	private static List<Report> reports() throws Exception {
		DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
		List<Report> reports = new ArrayList<>();
		for (Path module : children(Path.of("."))) {
			for (String kind : List.of(SUREFIRE, FAILSAFE)) {
				for (Path file : children(module.resolve("target").resolve(kind))) {
					if (file.getFileName().toString().matches("TEST-.*\\.xml")) {
						Element suite = parser.parse(file.toFile()).getDocumentElement();
						reports.add(new Report(module.getFileName().toString(), kind, suite));
					}
				}
			}
		}
		return reports;
	}

	private static List<Path> children(Path directory) throws IOException {
		if (!Files.isDirectory(directory)) {
			return List.of();
		}
		try (Stream<Path> children = Files.list(directory)) {
			return children.sorted().toList();
		}
	}

	private static Stream<String> red(Report report) {
		return report.cases().stream().flatMap((test) -> {
			Element fault = child(test, "failure");
			fault = (fault != null) ? fault : child(test, "error");
			return (fault != null) ? Stream.of(redLine(report, test, fault)) : Stream.empty();
		});
	}

	private static String redLine(Report report, Element test, Element fault) {
		String name = test.getAttribute("name");
		return String.join("\t", report.module(), report.kind().equals(SUREFIRE) ? "test" : "it.test",
				report.testClass(), name.isEmpty() ? "(class)" : name.replace('\t', ' '), firstLine(fault));
	}

	private static String firstLine(Element fault) {
		return Stream.of(fault.getAttribute("message"), fault.getTextContent())
			.flatMap(String::lines)
			.map(String::strip)
			.filter((line) -> !line.isEmpty())
			.findFirst()
			.orElse("(no message)")
			.replace('\t', ' ');
	}

	private static String count(List<Report> reports) {
		List<Element> cases = reports.stream().flatMap((report) -> report.cases().stream()).toList();
		long skipped = cases.stream().filter((test) -> child(test, "skipped") != null).count();
		return cases.size() + " tests, " + skipped + " of them skipped";
	}

	private static Element child(Element parent, String name) {
		for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
			if (child instanceof Element element && element.getTagName().equals(name)) {
				return element;
			}
		}
		return null;
	}

	/**
	 * The report of one test class.
	 */
	private record Report(String module, String kind, Element suite) {

		/**
		 * Return the class that can be run alone: the outermost one of nested classes.
		 */
		String testClass() {
			String name = this.suite.getAttribute("name");
			int nested = name.indexOf('$');
			return (nested < 0) ? name : name.substring(0, nested);
		}

		List<Element> cases() {
			List<Element> cases = new ArrayList<>();
			NodeList all = this.suite.getElementsByTagName("testcase");
			for (int i = 0; i < all.getLength(); i++) {
				cases.add((Element) all.item(i));
			}
			return cases;
		}

	}

}
