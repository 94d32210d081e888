package io.distributedlock.it.redlock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often a node was asked what, by its own count. Commands inside scripts count too.
 *
 * @param calls the number of calls by command
 */
record NodeCounts(Map<String, Long> calls) {

	static List<NodeCounts> of(RedlockServers servers) {
		return servers.askAll((commands) -> parse(commands.info("commandstats")));
	}

	private static NodeCounts parse(String info) {
		Map<String, Long> calls = new HashMap<>();
		info.lines()
			.filter((line) -> line.startsWith("cmdstat_"))
			.forEach((line) -> calls.put(line.substring("cmdstat_".length(), line.indexOf(':')),
					Long.parseLong(line.replaceFirst(".*calls=(\\d+),.*", "$1"))));
		return new NodeCounts(calls);
	}

	long calls(String command) {
		return this.calls.getOrDefault(command, 0L);
	}

	/**
	 * Return what has been asked since.
	 */
	NodeCounts since(NodeCounts before) {
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, number) -> difference.put(name, number - before.calls(name)));
		return new NodeCounts(difference);
	}

}
