package io.distributedlock.documentation;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the snippets of the documentation. Statements for servers have names, by
 * which the integration tests of the servers run them; commands are run by
 * {@code .ci/sample}, {@code .ci/quick-start} and {@code .ci/moving-in}.
 * {@link SnippetSourceTests} compares snippets that tests run with these tests. Code that
 * needs other libraries is named {@code peer-} if no test runs it, and {@code walk-} if
 * {@code .ci/moving-in} does.
 */
class SnippetTests {

	private static final Pattern TYPE = Pattern.compile("^(public |final |abstract )*(class|interface|record|enum) ",
			Pattern.MULTILINE);

	private static final Pattern MEMBER = Pattern.compile("^(@|public |protected |private |void )", Pattern.MULTILINE);

	private static final List<String> IMPORTS = List.of("java.time.*", "java.util.*", "java.util.concurrent.*",
			"io.distributedlock.*", "io.distributedlock.fencing.*", "io.distributedlock.integration.*",
			"io.distributedlock.observation.*", "io.distributedlock.spi.*", "io.micrometer.common.*",
			"io.distributedlock.documentation.SnippetContext.*", "io.distributedlock.autoconfigure.*",
			"io.distributedlock.test.*", "io.distributedlock.backend.notification.*", "io.lettuce.core.*",
			"io.lettuce.core.resource.*", "io.lettuce.core.SocketOptions.*", "org.junit.jupiter.api.*",
			"org.springframework.beans.factory.annotation.*", "org.springframework.beans.factory.annotation.Value",
			"org.springframework.context.event.EventListener", "org.springframework.boot.*",
			"org.springframework.boot.autoconfigure.*", "org.springframework.boot.data.redis.autoconfigure.*",
			"org.springframework.boot.test.context.*", "org.springframework.context.annotation.*",
			"org.springframework.data.redis.connection.*", "org.springframework.data.redis.connection.lettuce.*",
			"org.springframework.integration.leader.event.*", "org.springframework.jdbc.core.*",
			"org.springframework.jdbc.core.simple.*", "org.springframework.scheduling.annotation.*",
			"org.springframework.stereotype.*", "org.springframework.transaction.annotation.*",
			"static org.assertj.core.api.Assertions.*");

	static List<CodeBlock> blocks(String language) {
		return Page.all()
			.stream()
			.flatMap((page) -> page.blocks().stream())
			.filter((block) -> block.language().equals(language))
			.toList();
	}

	static List<CodeBlock> propertiesBlocks() {
		return blocks("properties");
	}

	static List<CodeBlock> xmlBlocks() {
		return blocks("xml");
	}

	@Test
	void javaCompiles(@TempDir Path output) {
		// What a page takes from a test is compiled with it.
		List<CodeBlock> blocks = blocks("java").stream()
			.filter((block) -> !block.isSource() && !block.name().matches("(peer|walk)-.*"))
			.toList();
		List<JavaFileObject> units = new ArrayList<>();
		for (int i = 0; i < blocks.size(); i++) {
			units.add(unit(blocks.get(i), i));
		}
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

		boolean compiled = compiler
			.getTask(new StringWriter(), null, diagnostics, List.of("-d", output.toString(), "-parameters",
					"-proc:none", "-classpath", System.getProperty("java.class.path")), null, units)
			.call();

		assertThat(units).hasSizeGreaterThan(15);
		assertThat(diagnostics.getDiagnostics()).filteredOn((found) -> found.getKind() == Diagnostic.Kind.ERROR)
			.extracting((found) -> found.getSource().getName() + ": " + found.getMessage(Locale.ROOT))
			.isEmpty();
		assertThat(compiled).isTrue();
	}

	/**
	 * Return a compilation unit in a package of its own: a block is a whole unit, types,
	 * members or statements.
	 */
	private static JavaFileObject unit(CodeBlock block, int number) {
		String text = block.text().replace("{ ... }", "{ }");
		String header = "package snippet" + number + ";\n";
		for (String name : IMPORTS) {
			header += "import " + name + ";\n";
		}
		String code;
		if (text.startsWith("package ")) {
			code = text.replaceFirst("package [\\w.]+;", "package snippet" + number + ";");
		}
		else if (TYPE.matcher(text).find()) {
			code = header + text;
		}
		else {
			String body = MEMBER.matcher(text).find() ? text : "void statements() throws Exception {\n" + text + "\n}";
			code = header + "abstract class Snippet extends " + SnippetContext.class.getName() + " {\n" + body + "\n}";
		}
		String type = code.replaceAll("(?s).*?\\npublic class (\\w+).*", "$1");
		String file = type.matches("\\w+") ? type : "Snippet";
		String readable = block.toString();
		return new SimpleJavaFileObject(URI.create("string:///snippet" + number + "/" + file + ".java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return code;
			}

			@Override
			public String getName() {
				return readable;
			}

		};
	}

	@ParameterizedTest
	@MethodSource("propertiesBlocks")
	void propertiesExist(CodeBlock block) throws IOException {
		Properties properties = new Properties();
		properties.load(new StringReader(block.text()));

		assertThat(properties.stringPropertyNames()).isNotEmpty()
			.filteredOn((name) -> name.startsWith("lock."))
			.isSubsetOf(ReferenceTests.properties().stream().map((property) -> (String) property.get("name")).toList());
	}

	@ParameterizedTest
	@MethodSource("xmlBlocks")
	void xmlIsWellFormed(CodeBlock block) throws Exception {
		String document = "<block>" + block.text() + "</block>";

		assertThat(DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(new InputSource(new StringReader(document)))
			.getDocumentElement()
			.getElementsByTagName("*")
			.getLength()).isPositive();
	}

	@Test
	void statementsForServersHaveTheNamesByWhichTestsRunThem() {
		List<CodeBlock> unnamed = Stream.concat(blocks("sql").stream(), blocks("").stream())
			.filter((block) -> block.text().matches("(?s)(ACL |etcdctl |create |CREATE |GRANT |update |UPDATE ).*"))
			.filter((block) -> !block.name().matches("(rights|walk)-.*"))
			.toList();

		assertThat(unnamed).isEmpty();
		assertThat(blocks("sql")).allSatisfy((block) -> assertThat(block.name()).matches("(rights|walk)-.*"));
	}

	@Test
	void commandsAreThoseThatTheBuildRuns() {
		List<String> commands = blocks("").stream()
			.flatMap((block) -> block.text().lines())
			.filter((line) -> line.matches("(mvn|java|git|docker|curl|benchmarks/run) .*"))
			.distinct()
			.toList();

		assertThat(commands).containsExactlyInAnyOrder("mvn -Dmaven.test.skip -pl sample-app -am spring-boot:run",
				"mvn verify", "mvn -Dmaven.test.skip -pl lock-spring-boot-starter -am install", "mvn package",
				"java -jar target/shop-1.jar", "java -jar target/shop-2.jar", "java -jar target/shop-3.jar",
				"benchmarks/run quick", "benchmarks/run server-cost");
	}

	@Test
	void noBlockIsInAnotherLanguage() {
		assertThat(Page.all()).flatExtracting(Page::blocks)
			.extracting(CodeBlock::language)
			.containsOnly("", "java", "properties", "xml", "sql", "http");
	}

}
