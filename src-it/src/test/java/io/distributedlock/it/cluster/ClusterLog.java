package io.distributedlock.it.cluster;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.Lease;
import io.distributedlock.it.cluster.LeaseTrace.End;
import io.distributedlock.it.cluster.LeaseTrace.Outcome;

/**
 * The log of the leases of one JVM. Each line is passed to the operating system
 * immediately, which keeps it when the JVM is killed.
 * <p>
 * {@link System#nanoTime()} is CLOCK_MONOTONIC on Linux, a single clock of the kernel
 * that all processes read. So the instants of several JVMs of one machine can be
 * compared. Keys have no blanks.
 */
final class ClusterLog implements AutoCloseable {

	private static final String SUFFIX = ".log";

	// Lines are written under this object's monitor, so that they stay complete.
	private final OutputStream file;

	ClusterLog(Path folder, String process) throws IOException {
		this.file = new FileOutputStream(folder.resolve(process + SUFFIX).toFile());
	}

	/**
	 * Record the grant of a lease, before its body begins. Each key has a line.
	 */
	void granted(Lease lease, RequestedMode mode, long askedAt) {
		// Read before the lease is asked, so that the sum is not later than the end of
		// the lease.
		long now = System.nanoTime();
		long validUntil = now + lease.remaining().toNanos();
		write(lease, "granted", now + " " + validUntil + " " + (now - askedAt) + " " + mode);
	}

	/**
	 * Record the end of a body, before the lease is released. A body that failed because
	 * its lease was lost counts like any other that continued without it.
	 */
	void ended(Lease lease, boolean failed) {
		// Read before the lease is asked: if the lease is held later, it was held now.
		long now = System.nanoTime();
		Outcome whileHeld = failed ? Outcome.FAILED : Outcome.HELD;
		write(lease, "ended", now + " " + (lease.isHeld() ? whileHeld : Outcome.LOST));
	}

	private void write(Lease lease, String event, String details) {
		StringBuilder lines = new StringBuilder();
		for (String key : lease.keys()) {
			lines.append(event).append(' ').append(key).append(' ').append(lease.fencingToken(key));
			lines.append(' ').append(details).append('\n');
		}
		write(lines.toString());
	}

	private synchronized void write(String lines) {
		try {
			this.file.write(lines.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

	/**
	 * Read the log of a JVM.
	 * @return its leases in no particular order
	 */
	static List<LeaseTrace> read(Path folder, String process) throws IOException {
		Map<List<String>, LeaseTrace> traces = new LinkedHashMap<>();
		List<LeaseTrace> twice = new ArrayList<>();
		for (String line : lines(folder, process)) {
			String[] words = line.split(" ");
			List<String> lease = List.of(words[1], words[2]);
			if (words[0].equals("granted")) {
				LeaseTrace earlier = traces.put(lease, granted(process, words));
				// A token that was granted twice has to be reported as a fault.
				if (earlier != null) {
					twice.add(earlier);
				}
			}
			else {
				End end = new End(Long.parseLong(words[3]), Outcome.valueOf(words[4]));
				traces.computeIfPresent(lease, (same, trace) -> trace.endedBy(end));
			}
		}
		twice.addAll(traces.values());
		return twice;
	}

	/**
	 * Return the keys that a JVM, even if it still works, was granted after an instant.
	 */
	static Set<String> keysGrantedAfter(Path folder, String process, long instant) throws IOException {
		Set<String> keys = new HashSet<>();
		for (String line : lines(folder, process)) {
			String[] words = line.split(" ");
			if (words[0].equals("granted") && Long.parseLong(words[3]) - instant > 0) {
				keys.add(words[1]);
			}
		}
		return keys;
	}

	/**
	 * Return the complete lines. A JVM that still works, or was killed, may have written
	 * no line yet, or only part of its last line.
	 */
	private static List<String> lines(Path folder, String process) throws IOException {
		Path file = folder.resolve(process + SUFFIX);
		if (!Files.exists(file)) {
			return List.of();
		}
		String text = Files.readString(file);
		return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
	}

	private static LeaseTrace granted(String process, String[] words) {
		return new LeaseTrace(process, words[1], Long.parseLong(words[2]), RequestedMode.valueOf(words[6]),
				Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]), null);
	}

}
