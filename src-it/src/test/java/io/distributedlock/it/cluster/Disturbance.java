package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.distributedlock.it.process.JavaProcess;

/**
 * A disturbance while the JVMs of a cluster work. It takes as long as they work, on the
 * thread of the test.
 */
@FunctionalInterface
interface Disturbance {

	/**
	 * Run the disturbance.
	 * @param jvms the JVMs, which are working
	 * @return the instant of {@link System#nanoTime()} from which on everything has to
	 * work again
	 */
	long happen(List<JavaProcess> jvms) throws Exception;

	/**
	 * Do not disturb the JVMs.
	 */
	static Disturbance none(Duration duration) {
		return (jvms) -> {
			long begunAt = System.nanoTime();
			pass(duration);
			return begunAt;
		};
	}

	/**
	 * Wait until the JVMs have finished by themselves.
	 */
	static Disturbance untilFinished() {
		return (jvms) -> {
			long begunAt = System.nanoTime();
			awaitAtMost(Duration.ofMinutes(15),
					() -> jvms.stream().allMatch((jvm) -> !jvm.isAlive() || jvm.output().contains("finished")));
			return begunAt;
		};
	}

	/**
	 * Kill the first JVM after half of the time. The rest takes a TTL longer, so that its
	 * keys become free.
	 */
	static Disturbance deathOfTheFirstJvm(Duration duration, Duration ttl) {
		return (jvms) -> {
			pass(duration.dividedBy(2));
			jvms.get(0).kill();
			long killedAt = System.nanoTime();
			pass(duration.dividedBy(2).plus(ttl));
			return killedAt;
		};
	}

	/**
	 * Let time pass, the time of real servers.
	 */
	static void pass(Duration duration) throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(duration.toNanos());
	}

	/**
	 * Let time pass until a condition is met, or the longest time is over.
	 */
	static void awaitAtMost(Duration patience, Callable<Boolean> happened) throws Exception {
		long end = System.nanoTime() + patience.toNanos();
		while (!happened.call() && System.nanoTime() - end < 0) {
			pass(Duration.ofMillis(100));
		}
	}

}
