package io.distributedlock.benchmarks;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.distributedlock.benchmarks.report.CommandOutput;

/**
 * Runs scenarios, prints their results, keeps them in a folder, and updates the
 * documentation.
 */
public final class Benchmarks {

	private static final int WRONG_USAGE = 2;

	private Benchmarks() {
	}

	/**
	 * Run scenarios. The JVM ends with 0 if all have run, with 1 if one has failed, and
	 * with 2 if an argument is not known.
	 * @param args {@code quick}, {@code all} or names of scenarios, and options;
	 * {@code --help} lists them
	 * @throws IOException if earlier results can't be read
	 */
	public static void main(String[] args) throws IOException {
		// The drivers would log each command.
		LoggingSystem logging = LoggingSystem.get(Benchmarks.class.getClassLoader());
		logging.setLogLevel(null, LogLevel.WARN);
		int exitCode = run(args);
		// The servers end before their clients, which need not be logged.
		logging.setLogLevel(null, LogLevel.OFF);
		System.exit(exitCode);
	}

	private static int run(String[] args) throws IOException {
		Path project = project();
		Arguments arguments;
		try {
			arguments = Arguments.parse(project, args);
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			return WRONG_USAGE;
		}
		if (arguments.asksForHelp()) {
			System.out.println(Arguments.usage());
			return 0;
		}
		return new ScenarioRun(arguments, arguments.scenarios(), commit(project), System.out::println).run();
	}

	/**
	 * Return the folder of the project, from which this class was compiled.
	 */
	private static Path project() {
		try {
			Path classes = Path.of(Benchmarks.class.getProtectionDomain().getCodeSource().getLocation().toURI());
			for (Path folder = classes; folder != null; folder = folder.getParent()) {
				if (Files.exists(folder.resolve("benchmarks/pom.xml"))) {
					return folder;
				}
			}
			return Path.of("").toAbsolutePath();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String commit(Path project) {
		Optional<String> commit = CommandOutput.of(project, "git", "rev-parse", "--short=10", "HEAD");
		boolean changed = CommandOutput.of(project, "git", "status", "--porcelain", "--", ".", ":!docs")
			.filter((changes) -> !changes.isEmpty())
			.isPresent();
		return commit.map((hash) -> changed ? hash + " with changes" : hash).orElse("unknown");
	}

}
