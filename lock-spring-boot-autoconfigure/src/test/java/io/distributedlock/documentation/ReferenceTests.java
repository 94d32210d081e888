package io.distributedlock.documentation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the documentation lists every property and attribute, and no other, and
 * names only types that exist.
 */
class ReferenceTests {

	private static final Pattern NAME = Pattern.compile("`([^`]+)`");

	/**
	 * Types of other libraries that the guides to move in name, and no source uses.
	 */
	private static final Set<String> OF_OTHER_LIBRARIES = Set.of("LockFailureException", "LockNotAcquiredException",
			"MessagingException", "RedisTemplate", "TransactionSystemException");

	/**
	 * The rows of a table: the text of the second column by each name in the first.
	 */
	private static Map<String, String> table(String page, String firstColumn) {
		Map<String, String> rows = new LinkedHashMap<>();
		boolean inside = false;
		for (String line : Page.of(page).lines()) {
			String[] columns = line.split("(?<!\\\\)\\|");
			if (columns.length < 4) {
				inside = false;
			}
			else if (columns[1].strip().equals(firstColumn)) {
				inside = true;
			}
			else if (inside) {
				Matcher names = NAME.matcher(columns[1]);
				while (names.find()) {
					rows.put(names.group(1), columns[2].strip());
				}
			}
		}
		return rows;
	}

	/**
	 * Return the properties as the configuration metadata describes them.
	 */
	static List<Map<String, Object>> properties() throws IOException {
		URL ourClasses = DistributedLock.class.getProtectionDomain().getCodeSource().getLocation();
		return JsonPath.parse(new URL(ourClasses, "META-INF/spring-configuration-metadata.json")).read("$.properties");
	}

	@Test
	void theReferenceListsEveryPropertyAndNoOther() throws IOException {
		List<String> names = properties().stream().map((property) -> (String) property.get("name")).toList();

		assertThat(table("docs/properties.md", "property").keySet()).containsExactlyInAnyOrderElementsOf(names);
	}

	@Test
	void theReferenceListsTheDefaultsOfProperties() throws IOException {
		Map<String, String> rows = table("docs/properties.md", "property");

		assertThat(properties()).filteredOn((property) -> property.containsKey("defaultValue"))
			.isNotEmpty()
			.allSatisfy((property) -> assertThat(rows.get(property.get("name"))).as("%s", property.get("name"))
				.isEqualTo("`" + property.get("defaultValue") + "`"));
	}

	@Test
	void theReferenceListsEveryAttributeOfTheAnnotationAndNoOther() {
		assertThat(table("docs/annotation.md", "attribute").keySet()).containsExactlyInAnyOrderElementsOf(attributes());
	}

	private static List<String> attributes() {
		return Arrays.stream(DistributedLock.class.getDeclaredMethods()).map(Method::getName).toList();
	}

	@Test
	void theReferenceListsTheDefaultsOfAttributes() {
		Map<String, String> rows = table("docs/annotation.md", "attribute");

		assertThat(DistributedLock.class.getDeclaredMethods())
			.filteredOn((attribute) -> !attribute.getDefaultValue().getClass().isArray()
					&& !attribute.getDefaultValue().equals(""))
			.hasSizeGreaterThan(4)
			.allSatisfy((attribute) -> assertThat(rows.get(attribute.getName())).as(attribute.getName())
				.isEqualTo("`" + attribute.getDefaultValue() + "`"));
	}

	@Test
	void theTypesThatTheDocumentationNamesExist() throws IOException {
		Set<String> known = typesOfTheSources();

		List<String> unknown = Page.all()
			.stream()
			.filter((page) -> page.path().startsWith("docs"))
			.flatMap((page) -> page.lines().stream())
			.flatMap((line) -> NAME.matcher(line).results())
			.map((name) -> name.group(1))
			.filter((name) -> name.matches("[A-Z]\\w*[a-z]\\w*"))
			.filter((name) -> !known.contains(name) && !ClassUtils.isPresent("java.lang." + name, null))
			.distinct()
			.toList();

		assertThat(known).hasSizeGreaterThan(500);
		assertThat(unknown).isEmpty();
	}

	/**
	 * Return the simple names of the types that the sources declare, import or look for
	 * by name.
	 */
	private static Set<String> typesOfTheSources() throws IOException {
		Pattern type = Pattern.compile(
				"\\b(?:class|interface|record|enum) ([A-Z]\\w+)|^import [\\w.]+\\.([A-Z]\\w+)|\"[\\w.]+\\.([A-Z]\\w+)\"",
				Pattern.MULTILINE);
		Set<String> types = new HashSet<>(OF_OTHER_LIBRARIES);
		for (String module : List.of("lock-spring-boot-autoconfigure", "sample-app", "src-it", "benchmarks")) {
			try (Stream<Path> files = Files.walk(Page.ROOT.resolve(module).resolve("src"))) {
				for (Path file : files.filter((path) -> path.toString().matches(".*\\.(java|kt)")).toList()) {
					Matcher names = type.matcher(Files.readString(file));
					while (names.find()) {
						types.add(Stream.of(1, 2, 3)
							.map(names::group)
							.filter(Objects::nonNull)
							.findFirst()
							.orElseThrow());
					}
				}
			}
		}
		return types;
	}

}
