package io.distributedlock.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The processor time that servers have used up to a moment. A server is found by the port
 * on which it listens, since it need not be a child of this JVM. Works on Linux.
 *
 * @param nanos the time of each process of the servers by its id
 */
public record ServerTime(Map<Long, Long> nanos) {

	private static final Path PROCESSES = Path.of("/proc");

	private static final String LISTENING = "0A";

	private static final int LOCAL_ADDRESS = 1;

	private static final int STATE = 3;

	private static final int INODE = 9;

	/**
	 * Return the time up to now.
	 * @param ports the ports on which the servers listen
	 * @return the time of all their processes
	 * @throws IOException if the processes can't be listed
	 */
	public static ServerTime of(List<Integer> ports) throws IOException {
		Set<String> sockets = sockets(ports);
		Map<Long, Long> nanos = new HashMap<>();
		List<ProcessHandle> servers = ProcessHandle.allProcesses()
			.filter((process) -> hasOneOf(sockets, process.pid()))
			.toList();
		servers.stream()
			.flatMap((server) -> Stream.concat(Stream.of(server), server.descendants()))
			.forEach((process) -> process.info()
				.totalCpuDuration()
				.ifPresent((time) -> nanos.put(process.pid(), time.toNanos())));
		return new ServerTime(nanos);
	}

	private static Set<String> sockets(List<Integer> ports) throws IOException {
		Set<String> sockets = new HashSet<>();
		for (String table : List.of("net/tcp", "net/tcp6")) {
			Path file = PROCESSES.resolve(table);
			for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
				String[] columns = line.strip().split("\\s+");
				if (columns.length > INODE && columns[STATE].equals(LISTENING)) {
					String port = columns[LOCAL_ADDRESS].substring(columns[LOCAL_ADDRESS].indexOf(':') + 1);
					if (ports.contains(Integer.parseInt(port, 16))) {
						sockets.add("socket:[" + columns[INODE] + "]");
					}
				}
			}
		}
		return sockets;
	}

	private static boolean hasOneOf(Set<String> sockets, long process) {
		try (Stream<Path> files = Files.list(PROCESSES.resolve(String.valueOf(process)).resolve("fd"))) {
			return files.anyMatch((file) -> sockets.contains(target(file)));
		}
		catch (IOException | UncheckedIOException ex) {
			// It has ended, or belongs to another user.
			return false;
		}
	}

	private static String target(Path link) {
		try {
			return Files.readSymbolicLink(link).toString();
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Return the time since an earlier moment. What a process used that has ended since
	 * then is not known and does not count.
	 * @param earlier the earlier moment
	 * @return the time of all processes together
	 */
	public Duration since(ServerTime earlier) {
		return Duration.ofNanos(this.nanos.entrySet()
			.stream()
			.mapToLong((process) -> process.getValue() - earlier.nanos.getOrDefault(process.getKey(), 0L))
			.sum());
	}

}
