package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Asks programs for short answers.
 */
public final class CommandOutput {

	private CommandOutput() {
	}

	/**
	 * Run a program that ends by itself.
	 * @param folder where it runs
	 * @param command the program and its arguments
	 * @return what it has printed; empty if it is missing or failed
	 */
	public static Optional<String> of(Path folder, String... command) {
		try {
			Process process = new ProcessBuilder(command).directory(folder.toFile())
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			return (process.waitFor() == 0) ? Optional.of(output) : Optional.empty();
		}
		catch (IOException ex) {
			return Optional.empty();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Optional.empty();
		}
	}

}
