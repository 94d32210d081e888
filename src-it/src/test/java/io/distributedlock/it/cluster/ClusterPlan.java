package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The plan of a cluster. Each method returns a changed copy.
 *
 * @param jvms how many JVMs there are
 * @param threads how many threads each has
 * @param keys the keys that they lock
 * @param duration how long they lock
 * @param ttl the TTL of the leases
 * @param disturbance the disturbance meanwhile
 * @param arguments further properties of the applications
 */
record ClusterPlan(int jvms, int threads, List<String> keys, Duration duration, Duration ttl, Disturbance disturbance,
		List<String> arguments) {

	/**
	 * Return a plan with the duration of {@code -Dlock.test.duration=PT60S}, by default 5
	 * seconds, and the number of JVMs of {@code -Dlock.test.jvms=4}, by default 3.
	 */
	static ClusterPlan full() {
		Duration duration = Duration.parse(System.getProperty("lock.test.duration", "PT5S"));
		Duration ttl = Duration.ofSeconds(2);
		return new ClusterPlan(Integer.getInteger("lock.test.jvms", 3), 8, keys(5), duration, ttl,
				Disturbance.deathOfTheFirstJvm(duration, ttl),
				List.of("--cluster.counting=true", "--cluster.pause=20ms", "--cluster.wait-time=3s"));
	}

	/**
	 * Return a plan whose bodies take so long that others can interfere.
	 */
	static ClusterPlan small(int jvms, int threads, int keys, Duration ttl) {
		Duration duration = Duration.ofSeconds(5);
		return new ClusterPlan(jvms, threads, keys(keys), duration, ttl, Disturbance.none(duration),
				List.of("--cluster.counting=true", "--cluster.pause=100ms", "--cluster.wait-time=3s"));
	}

	/**
	 * Return a plan that only locks, as fast as possible.
	 */
	static ClusterPlan hotKey(int jvms, int threads) {
		Duration duration = Duration.ofSeconds(5);
		return new ClusterPlan(jvms, threads, keys(1), duration, Duration.ofSeconds(30), Disturbance.none(duration),
				List.of("--cluster.counting=false", "--cluster.pause=0ms", "--cluster.wait-time=10s"));
	}

	/**
	 * Return a plan with all kinds of groups in four JVMs, each kind on a key of its own
	 * and all of them on the last one.
	 * @see #full()
	 */
	static ClusterPlan groups() {
		Duration duration = Duration.parse(System.getProperty("lock.test.duration", "PT5S"));
		return new ClusterPlan(4, 8, keys(5), duration, Duration.ofSeconds(2), Disturbance.none(duration),
				List.of("--cluster.counting=true", "--cluster.pause=20ms", "--cluster.wait-time=3s",
						"--cluster.modes.key-0=PERMITS-3", "--cluster.modes.key-1=PERMITS-3",
						"--cluster.modes.key-2=PERMITS-1,PERMITS-2,PERMITS-3,PERMITS-4,PERMITS-5",
						"--cluster.modes.key-3=SHARED,SHARED,SHARED,EXCLUSIVE",
						"--cluster.modes.key-4=SHARED,SHARED,EXCLUSIVE,PERMITS-2,PERMITS-3"));
	}

	/**
	 * Return a plan with a hot key, each request for which waits until it is granted.
	 * @param modes the modes of the requests, in which they come equally often
	 */
	static ClusterPlan patient(int jvms, int threads, List<RequestedMode> modes) {
		Duration duration = Duration.parse(System.getProperty("lock.test.duration", "PT3S"));
		return new ClusterPlan(jvms, threads, keys(1), duration, Duration.ofSeconds(10), Disturbance.none(duration),
				List.of("--cluster.counting=false", "--cluster.patient=true", "--cluster.pause=10ms",
						"--cluster.wait-time=60s", "--cluster.modes.key-0=" + join(modes)));
	}

	/**
	 * Return a plan whose threads request sets of keys in opposite orders, in turn with
	 * single keys, until each has made its requests.
	 * @param keys four keys
	 * @param sets how many sets are requested, at least
	 */
	static ClusterPlan oppositeOrders(int jvms, int threads, List<String> keys, int sets) {
		int rounds = 2 * ((sets + jvms * threads - 1) / (jvms * threads));
		String orders = Stream.of("0+1", "1+0", "3+2+1", "1+2+3", "0+1+2+3", "3+2+1+0", "2+0", "3+1")
			.map((order) -> Stream.of(order.split("\\+"))
				.map((number) -> keys.get(Integer.parseInt(number)))
				.collect(Collectors.joining("+")))
			.collect(Collectors.joining(","));
		return new ClusterPlan(jvms, threads, keys, Duration.ZERO, Duration.ofSeconds(10), Disturbance.untilFinished(),
				List.of("--cluster.counting=false", "--cluster.patient=true", "--cluster.pause=1ms",
						"--cluster.wait-time=60s", "--cluster.rounds=" + rounds, "--cluster.sets=" + orders));
	}

	/**
	 * Return keys with numbers.
	 */
	static List<String> keys(int count) {
		return IntStream.range(0, count).mapToObj((number) -> "key-" + number).toList();
	}

	private static String join(List<RequestedMode> modes) {
		return modes.stream().map(RequestedMode::toString).collect(Collectors.joining(","));
	}

	ClusterPlan with(String... arguments) {
		List<String> all = Stream.concat(this.arguments.stream(), Stream.of(arguments)).toList();
		return new ClusterPlan(this.jvms, this.threads, this.keys, this.duration, this.ttl, this.disturbance, all);
	}

	/**
	 * Return the same plan with another disturbance.
	 */
	ClusterPlan with(Disturbance disturbance) {
		return new ClusterPlan(this.jvms, this.threads, this.keys, this.duration, this.ttl, disturbance,
				this.arguments);
	}

	/**
	 * Return whether bodies count in the database.
	 */
	boolean counts() {
		return this.arguments.contains("--cluster.counting=true");
	}

	List<String> allArguments() {
		List<String> all = new ArrayList<>(List.of("--cluster.threads=" + this.threads,
				"--cluster.keys=" + String.join(",", this.keys), "--lock.ttl=" + this.ttl));
		all.addAll(this.arguments);
		return all;
	}

}
