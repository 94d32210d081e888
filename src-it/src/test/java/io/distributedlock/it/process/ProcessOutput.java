package io.distributedlock.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of a process, so far and in future.
 */
final class ProcessOutput {

	// Guarded by this.
	private final List<String> lines = new ArrayList<>();

	// Guarded by this.
	private boolean ended;

	/**
	 * Collect lines until there are no more.
	 */
	void readAll(BufferedReader reader) {
		try (reader) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				add(line);
			}
		}
		catch (IOException ex) {
			// The process was killed.
		}
		finally {
			end();
		}
	}

	private synchronized void add(String line) {
		this.lines.add(line);
		notifyAll();
	}

	private synchronized void end() {
		this.ended = true;
		notifyAll();
	}

	synchronized List<String> lines() {
		return List.copyOf(this.lines);
	}

	/**
	 * Wait until a line matches, even an old one.
	 * @return the match, or empty if the output or the time ended before
	 */
	synchronized Optional<MatchResult> await(Pattern pattern, Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		int next = 0;
		while (true) {
			for (; next < this.lines.size(); next++) {
				Matcher matcher = pattern.matcher(this.lines.get(next));
				if (matcher.find()) {
					return Optional.of(matcher.toMatchResult());
				}
			}
			long left = (deadline - System.nanoTime()) / 1_000_000;
			if (this.ended || left <= 0) {
				return Optional.empty();
			}
			wait(left);
		}
	}

}
