package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.distributedlock.it.process.JavaProcess;

/**
 * Lets one JVM after another stand still, for less or more than a TTL, and kills the
 * first one after half of the time.
 */
final class JvmTrouble implements Disturbance {

	private final Duration duration;

	private final Duration ttl;

	private final long seed;

	private final List<String> done = new ArrayList<>();

	/**
	 * Create the trouble.
	 * @param duration how long it lasts
	 * @param ttl the TTL of the leases
	 * @param seed the seed of the random numbers
	 */
	JvmTrouble(Duration duration, Duration ttl, long seed) {
		this.duration = duration;
		this.ttl = ttl;
		this.seed = seed;
	}

	@Override
	public long happen(List<JavaProcess> jvms) throws Exception {
		Random random = new Random(this.seed);
		long begunAt = System.nanoTime();
		// The first pause is long enough that leases, and sessions, end.
		pause(jvms.get(1), this.ttl.multipliedBy(3));
		while (System.nanoTime() - begunAt < this.duration.dividedBy(2).toNanos()) {
			pauseAny(jvms, random);
		}
		jvms.get(0).kill();
		this.done.add("killed " + jvms.get(0).name());
		do {
			pauseAny(jvms, random);
		}
		while (System.nanoTime() - begunAt < this.duration.toNanos());
		long over = System.nanoTime();
		Disturbance.pass(this.ttl);
		return over;
	}

	private void pauseAny(List<JavaProcess> jvms, Random random) throws Exception {
		JavaProcess jvm = jvms.get(1 + random.nextInt(jvms.size() - 1));
		pause(jvm, Duration.ofMillis(1 + random.nextLong(2 * this.ttl.toMillis())));
		Disturbance.pass(Duration.ofMillis(random.nextInt(300)));
	}

	private void pause(JavaProcess jvm, Duration length) throws Exception {
		jvm.pause();
		Disturbance.pass(length);
		jvm.resume();
		this.done.add("paused " + jvm.name() + " for " + length.toMillis() + " ms");
	}

	/**
	 * Return what has happened.
	 */
	List<String> done() {
		return List.copyOf(this.done);
	}

}
