package io.distributedlock.it.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds programs that do not come through Maven.
 */
public final class InstalledPrograms {

	/**
	 * The folder of servers, which is not on the PATH of every user.
	 */
	private static final Path SERVERS = Path.of("/usr/sbin");

	private InstalledPrograms() {
	}

	/**
	 * Return a program.
	 * @param name its name
	 * @return the program, or empty if it is missing
	 */
	public static Optional<Path> find(String name) {
		Stream<Path> path = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)).map(Path::of);
		return Stream.concat(path, Stream.of(SERVERS))
			.map((directory) -> directory.resolve(name))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Return what to do if a program is missing.
	 * @param required the program
	 * @return the remedy
	 */
	public static String remedy(RequiresProgram required) {
		return "there is no '" + required.value() + "' on the PATH (on Debian: apt-get install "
				+ required.debianPackage() + ")";
	}

}
