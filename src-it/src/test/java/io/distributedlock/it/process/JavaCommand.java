package io.distributedlock.it.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A command that starts a JVM like the one that runs the test, with the test's own class
 * path. Each method returns a changed copy.
 *
 * @param mainClass the name of the class whose {@code main} runs
 * @param options options of the JVM, system properties among them
 * @param arguments arguments of {@code main}
 * @param classPath the entries of the class path
 */
public record JavaCommand(String mainClass, List<String> options, List<String> arguments, List<Path> classPath) {

	private static final List<String> SMALL = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	/**
	 * Return a command for a small JVM that starts fast.
	 */
	public static JavaCommand of(Class<?> mainClass) {
		List<Path> classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.toList();
		return new JavaCommand(mainClass.getName(), SMALL, List.of(), classPath);
	}

	/**
	 * Return a command for a JVM with modules alone, one of which has the main class.
	 */
	public static JavaCommand ofModules(String mainClass, List<Path> modulePath) {
		String path = modulePath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
		List<String> options = Stream
			.concat(SMALL.stream(), Stream.of("--module-path", path, "--add-modules", "ALL-MODULE-PATH"))
			.toList();
		return new JavaCommand(mainClass, options, List.of(), List.of(Launcher.FOLDER));
	}

	public JavaCommand option(String option) {
		return new JavaCommand(this.mainClass, with(this.options, option), this.arguments, this.classPath);
	}

	public JavaCommand systemProperty(String name, Object value) {
		return option("-D" + name + "=" + value);
	}

	public JavaCommand argument(String argument) {
		return new JavaCommand(this.mainClass, this.options, with(this.arguments, argument), this.classPath);
	}

	/**
	 * Put a folder before all others.
	 */
	public JavaCommand classPathFirst(Path folder) {
		List<Path> changed = Stream.concat(Stream.of(folder), this.classPath.stream()).toList();
		return new JavaCommand(this.mainClass, this.options, this.arguments, changed);
	}

	/**
	 * Exclude the tests and their resources, for a main class that is not one of them.
	 * Otherwise an application would use their configuration as its own.
	 */
	public JavaCommand withoutTestClasses() {
		Path tests = testClasses();
		List<Path> changed = this.classPath.stream()
			.map((entry) -> entry.equals(tests) ? Launcher.FOLDER : entry)
			.toList();
		return new JavaCommand(this.mainClass, this.options, this.arguments, changed);
	}

	Process start() throws IOException {
		return new ProcessBuilder(commandLine()).redirectErrorStream(true).start();
	}

	private List<String> commandLine() {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String path = this.classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
		List<String> line = new ArrayList<>(List.of(java));
		line.addAll(this.options);
		line.addAll(List.of("-cp", path, ChildMain.class.getName(), this.mainClass));
		line.addAll(this.arguments);
		return line;
	}

	private static List<String> with(List<String> list, String element) {
		return Stream.concat(list.stream(), Stream.of(element)).toList();
	}

	private static Path testClasses() {
		try {
			return Path.of(JavaCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A folder with {@link ChildMain} alone, for commands without the tests' classes.
	 */
	private static final class Launcher {

		static final Path FOLDER = create();

		private static Path create() {
			String name = ChildMain.class.getName().replace('.', '/') + ".class";
			try (InputStream code = ChildMain.class.getClassLoader().getResourceAsStream(name)) {
				Path folder = Files.createTempDirectory("java-process");
				Path file = folder.resolve(name);
				Files.createDirectories(file.getParent());
				Files.write(file, code.readAllBytes());
				deleteOnExit(folder, file);
				return folder;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		// The JVM deletes in reverse order.
		private static void deleteOnExit(Path folder, Path file) {
			Path path = folder;
			path.toFile().deleteOnExit();
			for (Path part : folder.relativize(file)) {
				path = path.resolve(part);
				path.toFile().deleteOnExit();
			}
		}

	}

}
