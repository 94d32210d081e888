package io.distributedlock.it.etcd;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of requests to a server by method, as the server counts them.
 *
 * @param requests the number of requests by method
 */
record RequestCounts(Map<String, Long> requests) {

	private static final Pattern STARTED = Pattern
		.compile("grpc_server_started_total\\{grpc_method=\"(\\w+)\",[^}]*} (\\d+)");

	static RequestCounts of(EtcdProcess server) {
		Map<String, Long> requests = new HashMap<>();
		Matcher counted = STARTED.matcher(server.get("/metrics"));
		while (counted.find()) {
			requests.merge(counted.group(1), Long.parseLong(counted.group(2)), Long::sum);
		}
		return new RequestCounts(requests);
	}

	long of(String method) {
		return this.requests.getOrDefault(method, 0L);
	}

	/**
	 * Return the requests since then, without keep-alives.
	 */
	Map<String, Long> since(RequestCounts before) {
		Map<String, Long> difference = new HashMap<>();
		this.requests.forEach((method, number) -> {
			if (number > before.of(method) && !method.equals("LeaseKeepAlive")) {
				difference.put(method, number - before.of(method));
			}
		});
		return difference;
	}

}
