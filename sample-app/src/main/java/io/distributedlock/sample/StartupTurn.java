package io.distributedlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the instances of this machine start servers one after the other, so that each sees
 * what the one before it has started. A turn ends with its process at the latest.
 */
final class StartupTurn {

	private static final Logger logger = LoggerFactory.getLogger(StartupTurn.class);

	private StartupTurn() {
	}

	/**
	 * Wait for the turn of this instance, and start servers that are not there yet.
	 * @param folder the folder of the sample, which exists and is the same for all
	 * instances
	 * @param start starts the servers
	 */
	static synchronized void take(Path folder, Runnable start) {
		try {
			Path file = folder.resolve("servers.lock");
			try (FileChannel turn = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
				if (turn.tryLock() == null) {
					logger.info("This instance waits for its turn to start servers");
					turn.lock();
				}
				start.run();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
