package io.distributedlock.it.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import io.distributedlock.LockMode;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

/**
 * JVMs that lock the same keys at one store.
 */
final class Cluster {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final JavaProcesses processes;

	private final Path folder;

	private final ClusterStore store;

	private final ClusterPlan plan;

	private final List<JavaProcess> jvms = new ArrayList<>();

	private final Counters counters;

	Cluster(JavaProcesses processes, Path folder, ClusterStore store, ClusterPlan plan) {
		this.processes = processes;
		this.folder = folder;
		this.store = store;
		this.plan = plan;
		this.counters = new Counters(store.counters());
	}

	/**
	 * Run the plan.
	 * @return the outcome
	 */
	Run run() throws Exception {
		long begunAt = System.nanoTime();
		this.counters.create(this.plan.keys());
		start();
		Meeting.begin(this.folder);
		awaitWork(begunAt);
		long disturbedUntil = this.plan.disturbance().happen(this.jvms);
		awaitGrants(disturbedUntil);
		List<JavaProcess> alive = this.jvms.stream().filter(JavaProcess::isAlive).toList();
		Meeting.end(this.folder);
		for (JavaProcess jvm : alive) {
			jvm.awaitLine("^finished$");
		}
		List<LeaseTrace> leases = leases(this.folder, this.jvms);
		requireOneClock(leases, begunAt, System.nanoTime());
		return new Run(leases, ClusterLogChecker.check(leases, this.plan.counts() ? this.counters.read() : Map.of()),
				disturbedUntil, this.jvms);
	}

	/**
	 * The disturbance has to hit working JVMs. The test itself detects a JVM that never
	 * works.
	 */
	private void awaitWork(long begunAt) throws Exception {
		Disturbance.awaitAtMost(PATIENCE, () -> {
			for (JavaProcess jvm : this.jvms) {
				if (ClusterLog.keysGrantedAfter(this.folder, jvm.name(), begunAt).isEmpty()) {
					return false;
				}
			}
			return true;
		});
	}

	/**
	 * A busy machine may need longer than planned until everything works again. The test
	 * itself detects what never recovers.
	 */
	private void awaitGrants(long since) throws Exception {
		Disturbance.awaitAtMost(PATIENCE, () -> keysGrantedAfter(since).containsAll(this.plan.keys()));
	}

	/**
	 * Return what is left of locks at the store after all JVMs have ended.
	 */
	List<String> leftovers() {
		return ClusterApplication.leftovers(arguments(this.jvms.size(), 0), this.plan.keys());
	}

	private Set<String> keysGrantedAfter(long instant) throws IOException {
		Set<String> keys = new HashSet<>();
		for (JavaProcess jvm : this.jvms) {
			keys.addAll(ClusterLog.keysGrantedAfter(this.folder, jvm.name(), instant));
		}
		return keys;
	}

	private void start() throws IOException, InterruptedException {
		long seed = System.nanoTime();
		for (int i = 0; i < this.plan.jvms(); i++) {
			JavaCommand command = JavaCommand.of(ClusterApplication.class);
			for (String argument : arguments(i, seed)) {
				command = command.argument(argument);
			}
			this.jvms.add(this.processes.start(name(i), command));
		}
		for (JavaProcess jvm : this.jvms) {
			jvm.awaitLine("^ready$");
		}
	}

	/**
	 * The folder is new for each run, and so is the prefix of the keys. The configuration
	 * of other applications on the class path is not read.
	 */
	private List<String> arguments(int number, long seed) {
		List<String> arguments = new ArrayList<>(List.of("--spring.config.name=cluster", "--spring.jmx.enabled=false",
				"--spring.datasource.url=" + this.store.url(), "--spring.datasource.username=" + this.store.user(),
				"--spring.datasource.hikari.maximum-pool-size=16", "--spring.datasource.hikari.minimum-idle=0",
				"--lock.key-prefix=" + this.store.prefix(this.folder), "--cluster.folder=" + this.folder,
				"--cluster.name=" + name(number), "--cluster.seed=" + (seed + 1000L * number)));
		arguments.addAll(this.store.arguments());
		arguments.addAll(this.plan.allArguments());
		return arguments;
	}

	private static String name(int number) {
		return "jvm-" + number;
	}

	/**
	 * Return the leases that JVMs have had so far.
	 */
	static List<LeaseTrace> leases(Path folder, List<JavaProcess> jvms) throws IOException {
		List<LeaseTrace> leases = new ArrayList<>();
		for (JavaProcess jvm : jvms) {
			leases.addAll(ClusterLog.read(folder, jvm.name()));
		}
		return leases;
	}

	/**
	 * Return how many calls of JVMs have failed so far, including those without an answer
	 * in time.
	 */
	static long faults(List<JavaProcess> jvms) {
		return jvms.stream()
			.flatMap((jvm) -> jvm.output().stream())
			.filter((line) -> line.startsWith("fault: "))
			.count();
	}

	/**
	 * Check that all JVMs ran between two instants of this JVM. Clocks of their own would
	 * hardly show such times. On Linux all read the kernel's clock, which counts from its
	 * start.
	 */
	private static void requireOneClock(List<LeaseTrace> leases, long begunAt, long endedAt) {
		for (LeaseTrace lease : leases) {
			if (lease.grantedAt() - begunAt < 0 || endedAt - lease.grantedAt() < 0) {
				throw new AssertionError("Not between " + begunAt + " and " + endedAt
						+ ", so the JVMs of this machine have no common clock: " + lease);
			}
		}
	}

	/**
	 * The outcome of a plan.
	 *
	 * @param leases the leases of all JVMs
	 * @param report the findings of the check
	 * @param disturbedUntil the instant from which everything had to work again
	 * @param jvms the JVMs
	 */
	record Run(List<LeaseTrace> leases, ClusterReport report, long disturbedUntil, List<JavaProcess> jvms) {

		/**
		 * Return the keys that were granted after the disturbance had ended.
		 */
		List<String> keysGrantedLater() {
			return this.leases.stream()
				.filter((lease) -> lease.grantedAt() > this.disturbedUntil)
				.map(LeaseTrace::key)
				.distinct()
				.sorted()
				.toList();
		}

		/**
		 * Return the longest wait that ended with a lease in a mode.
		 */
		Duration longestWait(LockMode mode) {
			return Duration.ofNanos(this.leases.stream()
				.filter((lease) -> lease.mode().mode() == mode)
				.mapToLong(LeaseTrace::waited)
				.max()
				.orElse(0));
		}

		/**
		 * Return how many grants there were per second, between the beginning of the
		 * undisturbed work and its last grant.
		 */
		double grantsPerSecond() {
			long[] instants = this.leases.stream()
				.mapToLong(LeaseTrace::grantedAt)
				.filter((instant) -> instant > this.disturbedUntil)
				.toArray();
			return instants.length * 1e9 / (LongStream.of(instants).max().orElseThrow() - this.disturbedUntil);
		}

		/**
		 * Return the permits whose tokens are smaller than those of leases that had ended
		 * before they were requested.
		 */
		List<String> permitsOutOfOrder() {
			return this.leases.stream()
				.collect(Collectors.groupingBy(LeaseTrace::key))
				.values()
				.stream()
				.flatMap((leases) -> new PermitRules(leases).disorders().stream())
				.toList();
		}

		/**
		 * Return the longest time without the grant of any lock.
		 */
		Duration longestSilence() {
			long[] instants = this.leases.stream().mapToLong(LeaseTrace::grantedAt).sorted().toArray();
			long longest = 0;
			for (int i = 1; i < instants.length; i++) {
				longest = Math.max(longest, instants[i] - instants[i - 1]);
			}
			return Duration.ofNanos(longest);
		}

		long faults() {
			return Cluster.faults(this.jvms);
		}

		/**
		 * Return the requests that were not granted within their wait time, although they
		 * should have been.
		 */
		List<String> refusals() {
			return this.jvms.stream()
				.flatMap((jvm) -> jvm.output().stream())
				.filter((line) -> line.startsWith("refused: "))
				.toList();
		}

		long statements() {
			return this.jvms.stream()
				.flatMap((jvm) -> jvm.output().stream())
				.filter((line) -> line.startsWith("statements "))
				.mapToLong((line) -> Long.parseLong(line.substring("statements ".length())))
				.sum();
		}

	}

}
