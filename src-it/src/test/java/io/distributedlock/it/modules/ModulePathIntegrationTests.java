package io.distributedlock.it.modules;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the built jars: their module names, and an application that is a module
 * itself.
 */
class ModulePathIntegrationTests {

	private static final Map<String, String> MODULES = Map.of("lock-spring-boot-autoconfigure", "io.distributedlock",
			"lock-spring-boot-starter", "io.distributedlock.starter");

	/**
	 * The dependencies of the starter. Other jars of the tests share packages.
	 */
	private static final Pattern STARTER = Pattern.compile("spring-(aop|beans|boot|boot-autoconfigure|boot-starter"
			+ "|context|core|expression|integration-core|messaging|tx)-\\d.*|(jspecify|slf4j-api|logback-\\w+"
			+ "|commons-logging|micrometer-\\w+|reactor-core|reactive-streams)-\\d.*");

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	Path folder;

	private static List<Path> classPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).toList();
	}

	private static List<Path> published() {
		List<Path> jars = classPath().stream()
			.filter((entry) -> MODULES.keySet().stream().anyMatch((name) -> isMainJar(entry, name)))
			.toList();
		assertThat(jars).as("jars of this build on the class path").hasSameSizeAs(MODULES.keySet());
		return jars;
	}

	private static boolean isMainJar(Path entry, String name) {
		String file = entry.getFileName().toString();
		return file.startsWith(name + "-") && file.endsWith(".jar") && !file.endsWith("-tests.jar");
	}

	@Test
	void everyPublishedJarHasAModuleNameOfItsOwn() throws IOException {
		for (Path jar : published()) {
			try (JarFile file = new JarFile(jar.toFile())) {
				String artifact = MODULES.keySet()
					.stream()
					.filter((name) -> isMainJar(jar, name))
					.findFirst()
					.orElseThrow();
				assertThat(file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
					.isEqualTo(MODULES.get(artifact));
			}
		}
	}

	@Test
	void noPackageIsInTwoPublishedJars() throws IOException {
		List<String> all = new ArrayList<>();
		for (Path jar : published()) {
			try (JarFile file = new JarFile(jar.toFile())) {
				file.stream()
					.map((entry) -> entry.getName())
					.filter((name) -> name.endsWith(".class"))
					.map((name) -> name.substring(0, name.lastIndexOf('/')))
					.distinct()
					.forEach(all::add);
			}
		}

		assertThat(all).hasSizeGreaterThan(10).doesNotHaveDuplicates();
	}

	@Test
	void anApplicationThatIsAModuleLocks() throws Exception {
		List<Path> modulePath = Stream
			.concat(published().stream(),
					classPath().stream().filter((entry) -> STARTER.matcher(entry.getFileName().toString()).matches()))
			.toList();
		Path shop = compile(modulePath);

		JavaCommand command = JavaCommand.ofModules("shop.Main",
				Stream.concat(modulePath.stream(), Stream.of(shop)).toList());

		this.processes.start("module", command).awaitLine("^module shop holds order:7$");
	}

	private Path compile(List<Path> modulePath) throws IOException {
		Path sources = Files.createDirectories(this.folder.resolve("src/shop"));
		Files.writeString(sources.getParent().resolve("module-info.java"), """
				open module shop {
					exports shop;
					requires io.distributedlock;
					requires io.distributedlock.starter;
					requires spring.boot;
					requires spring.boot.autoconfigure;
					requires spring.context;
				}
				""");
		Files.writeString(sources.resolve("Main.java"), """
				package shop;
				import io.distributedlock.DistributedLock;
				import io.distributedlock.LockContext;
				import org.springframework.boot.SpringApplication;
				import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
				@EnableAutoConfiguration
				public class Main {
					public static void main(String[] args) {
						SpringApplication.run(Main.class, "--lock.backend=local").getBean(Main.class).ship(7);
					}
					@DistributedLock(name = "order", key = "#id", fallback = "instead")
					public void ship(long id) {
						System.out.println(getClass().getModule() + " holds " + LockContext.current().key());
					}
					private void instead(long id) {
					}
				}
				""");
		Path classes = Files.createDirectories(this.folder.resolve("shop"));
		int result = ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, "--release", "17", "-proc:none", "-parameters", "-nowarn", "--module-path",
					modulePath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)), "-d",
					classes.toString(), sources.getParent().resolve("module-info.java").toString(),
					sources.resolve("Main.java").toString());
		assertThat(result).isZero();
		return classes;
	}

}
