package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.sample.SampleApplication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample with a context that was processed ahead of time, as in the build of an
 * application. It runs on the JVM, because no native image can be built here.
 */
class AotSampleIntegrationTests extends SampleContract {

	@TempDir
	static Path build;

	@BeforeAll
	static void processAheadOfTime() throws Exception {
		JavaCommand command = JavaCommand.of(SpringApplicationAotProcessor.class)
			.withoutTestClasses()
			.systemProperty("user.home", build)
			.argument(SampleApplication.class.getName())
			.argument(output("sources").toString())
			.argument(output("classes").toString())
			.argument(output("classes").toString())
			.argument("io.distributedlock")
			.argument("sample-app");
		JavaProcess processor = processes.start("ahead-of-time processing", command);
		assertThat(processor.awaitEnd()).as(() -> String.join("\n", processor.output())).isZero();
		compile(output("sources"), output("classes"));
	}

	private static Path output(String name) throws IOException {
		return Files.createDirectories(build.resolve(name));
	}

	private static void compile(Path sources, Path classes) throws IOException {
		List<String> arguments = new ArrayList<>(List.of("--release", "17", "-proc:none", "-nowarn", "-cp",
				classes + System.getProperty("path.separator") + System.getProperty("java.class.path"), "-d",
				classes.toString()));
		try (Stream<Path> files = Files.walk(sources)) {
			files.map(Path::toString).filter((file) -> file.endsWith(".java")).forEach(arguments::add);
		}
		int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
		assertThat(result).isZero();
	}

	@Override
	JavaCommand application() {
		return SampleInstance.application()
			.classPathFirst(build.resolve("classes"))
			.systemProperty("spring.aot.enabled", true);
	}

	@Override
	List<String> arguments() {
		return List.of();
	}

	@Test
	void theContextIsTheOneThatWasProcessed() {
		assertThat(this.carrier.process().output())
			.anyMatch((line) -> line.contains("Starting AOT-processed SampleApplication"));
	}

}
