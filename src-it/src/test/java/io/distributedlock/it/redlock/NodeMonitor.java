package io.distributedlock.it.redlock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.spi.OwnerId;

/**
 * Records the commands of a node by MONITOR. Scripts with one call are distinguished by
 * their numbers of keys, and the others name their calls.
 */
final class NodeMonitor implements AutoCloseable {

	private final Socket socket;

	// Sends marks between the other commands.
	private final Socket marker;

	private final Queue<String> lines = new ConcurrentLinkedQueue<>();

	private NodeMonitor(Socket socket, Socket marker) {
		this.socket = socket;
		this.marker = marker;
	}

	static NodeMonitor of(RedisProcess server) {
		try {
			NodeMonitor monitor = new NodeMonitor(new Socket(InetAddress.getLoopbackAddress(), server.port()),
					new Socket(InetAddress.getLoopbackAddress(), server.port()));
			send(monitor.socket, "MONITOR");
			Thread reader = new Thread(monitor::read, "monitor-" + server.port());
			reader.setDaemon(true);
			reader.start();
			Awaitility.await().until(() -> monitor.lines.contains("+OK"));
			return monitor;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static List<NodeMonitor> of(RedlockServers servers) {
		return servers.all().stream().map(NodeMonitor::of).toList();
	}

	private static void send(Socket socket, String command) throws IOException {
		socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
	}

	private void read() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8))) {
			String line = reader.readLine();
			while (line != null) {
				this.lines.add(line);
				line = reader.readLine();
			}
		}
		catch (IOException ex) {
			// The monitor was closed.
			return;
		}
	}

	/**
	 * Wait until no command is under way at any node or to a monitor.
	 */
	static void settle(List<NodeMonitor> nodes) {
		List<List<Integer>> seen = new ArrayList<>();
		Awaitility.await().pollInterval(Duration.ofMillis(50)).during(Duration.ofMillis(200)).until(() -> {
			nodes.forEach(NodeMonitor::catchUp);
			seen.add(nodes.stream().map((node) -> node.lines.size()).toList());
			return seen.size() > 1 && seen.get(seen.size() - 1).equals(seen.get(seen.size() - 2));
		});
	}

	/**
	 * Wait until all commands up to now have been recorded.
	 */
	private void catchUp() {
		String mark = "mark-" + OwnerId.random().value();
		try {
			send(this.marker, "ECHO " + mark);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await()
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.lines.removeIf((line) -> line.contains(mark)));
	}

	/**
	 * Return how often the node was asked for its vote, alone or together with other
	 * calls.
	 */
	long votes() {
		return count(NodeMonitor::isVote) + joined("acquire");
	}

	/**
	 * Return how often the node was asked to release a lock, alone or together with other
	 * calls.
	 */
	long releases() {
		return count(NodeMonitor::isRelease) + joined("release");
	}

	/**
	 * Return how many scripts the node has run for votes and releases.
	 */
	long scripts() {
		return count((line) -> isVote(line) || isJoined(line) || isRelease(line));
	}

	/**
	 * Return how many scripts the node has run on locks, of whatever kind.
	 */
	long allScripts() {
		return count((line) -> line.toLowerCase(Locale.ROOT).contains("\"evalsha\"") && line.contains("{"));
	}

	private static boolean isRelease(String line) {
		return script(3).test(line) && !line.contains("redlock:state") && !isOfDoor(line);
	}

	private long joined(String kind) {
		Pattern call = Pattern.compile("\"" + kind + "\"");
		return this.lines.stream()
			.filter(NodeMonitor::isJoined)
			.mapToLong((line) -> call.matcher(line).results().count())
			.sum();
	}

	/**
	 * Return how often the node was asked for its vote on a member of a group.
	 */
	long entries() {
		return count(script(8).and((line) -> line.contains("redlock:state")));
	}

	/**
	 * Return how often the node was asked to release a member of a group.
	 */
	long leaves() {
		return count(script(5).and((line) -> !line.contains("redlock:state") && !line.contains("cooldown")));
	}

	/**
	 * Return how often the node was asked to close or to open the door of a group.
	 */
	long doors() {
		return count(script(3).and(NodeMonitor::isOfDoor));
	}

	private static boolean isOfDoor(String line) {
		return line.contains("}:d\"");
	}

	/**
	 * Return how many scripts have renewed leases. The state of the node is their last
	 * key.
	 */
	long renewals() {
		return count((line) -> line.toLowerCase(Locale.ROOT).contains("\"evalsha\"") && line.contains("}\"")
				&& line.contains("redlock:state\" \"ok:"));
	}

	/**
	 * Return the commands that scripts have run on what is stored for a lock, each with
	 * the end of the name.
	 */
	List<String> commandsOn(String lock) {
		Pattern command = Pattern.compile(".* lua\\] \"(\\w+)\" \"" + Pattern.quote(lock) + "([^\"]*)\".*");
		List<String> commands = new ArrayList<>();
		for (String line : this.lines) {
			Matcher matcher = command.matcher(line);
			if (matcher.matches()) {
				commands.add(matcher.group(1) + " " + matcher.group(2));
			}
		}
		return commands;
	}

	private static boolean isVote(String line) {
		return script(5).test(line) && line.contains("redlock:state") && !isJoined(line);
	}

	private static boolean isJoined(String line) {
		return line.toLowerCase(Locale.ROOT).contains("\"evalsha\"")
				&& (line.contains("\"acquire\"") || line.contains("\"release\""));
	}

	/**
	 * Return how many releases the node has published. A new subscription begins with an
	 * empty message.
	 */
	long publications() {
		return count((line) -> line.toLowerCase(Locale.ROOT).contains("\"publish\"") && !line.endsWith("\"\""));
	}

	private long count(Predicate<String> wanted) {
		return this.lines.stream().filter(wanted).count();
	}

	private static Predicate<String> script(int keys) {
		return (line) -> line.toLowerCase(Locale.ROOT).matches(".* \"evalsha\" \"[0-9a-f]+\" \"" + keys + "\" .*");
	}

	void forget() {
		this.lines.clear();
	}

	@Override
	public void close() {
		try {
			this.socket.close();
			this.marker.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
