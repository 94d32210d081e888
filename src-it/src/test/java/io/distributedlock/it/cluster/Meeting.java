package io.distributedlock.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Signals the JVMs of a cluster to begin and to end, by a file in their folder.
 */
final class Meeting {

	private Meeting() {
	}

	static void begin(Path folder) throws IOException {
		Files.createFile(folder.resolve("begin"));
	}

	static void end(Path folder) throws IOException {
		Files.createFile(folder.resolve("end"));
	}

	static void awaitBegin(Path folder) throws InterruptedException {
		while (!Files.exists(folder.resolve("begin"))) {
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

	static boolean isOver(Path folder) {
		return Files.exists(folder.resolve("end"));
	}

}
