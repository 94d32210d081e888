package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a cluster does. Each call gives a changed copy.
 *
 * @param jvms how many JVMs there are
 * @param threads how many threads each has
 * @param keys how many keys they lock
 * @param duration for how long
 * @param ttl the leases' ttl
 * @param kill whether the first JVM is killed after half of the time; the run goes on for
 * a ttl more then, so that its keys come back
 * @param arguments further properties of the applications
 */
record ClusterPlan(int jvms, int threads, int keys, Duration duration, Duration ttl, boolean kill,
		List<String> arguments) {

	/**
	 * As long as {@code -Dlock.test.duration=PT60S} says, by default 5 seconds.
	 */
	static ClusterPlan full() {
		Duration duration = Duration.parse(System.getProperty("lock.test.duration", "PT5S"));
		return new ClusterPlan(4, 8, 5, duration, Duration.ofSeconds(2), true,
				List.of("--cluster.counting=true", "--cluster.pause=20ms", "--cluster.wait-time=3s"));
	}

	/**
	 * Bodies that take so long that others can come between.
	 */
	static ClusterPlan small(int jvms, int threads, int keys, Duration ttl) {
		return new ClusterPlan(jvms, threads, keys, Duration.ofSeconds(5), ttl, false,
				List.of("--cluster.counting=true", "--cluster.pause=100ms", "--cluster.wait-time=3s"));
	}

	/**
	 * Nothing but locks, as fast as they can be had.
	 */
	static ClusterPlan hotKey(int jvms, int threads) {
		return new ClusterPlan(jvms, threads, 1, Duration.ofSeconds(5), Duration.ofSeconds(30), false,
				List.of("--cluster.counting=false", "--cluster.pause=0ms", "--cluster.wait-time=10s"));
	}

	ClusterPlan with(String... arguments) {
		List<String> all = Stream.concat(this.arguments.stream(), Stream.of(arguments)).toList();
		return new ClusterPlan(this.jvms, this.threads, this.keys, this.duration, this.ttl, this.kill, all);
	}

	/**
	 * Return whether bodies count in the database.
	 */
	boolean counts() {
		return this.arguments.contains("--cluster.counting=true");
	}

	List<String> keyNames() {
		return IntStream.range(0, this.keys).mapToObj((number) -> "key-" + number).toList();
	}

	List<String> allArguments() {
		List<String> all = new ArrayList<>(List.of("--cluster.threads=" + this.threads,
				"--cluster.keys=" + String.join(",", keyNames()), "--lock.ttl=" + this.ttl));
		all.addAll(this.arguments);
		return all;
	}

}
