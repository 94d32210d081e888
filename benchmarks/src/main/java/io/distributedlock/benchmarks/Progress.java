package io.distributedlock.benchmarks;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reports how far a run is, and estimates how long it will still take: by how long each
 * scenario took the last time, or else by the others.
 */
final class Progress {

	private final Consumer<String> out;

	private final LongSupplier nanos;

	private final long start;

	private final List<String> scenarios;

	private final Map<String, Long> seconds;

	private int index = -1;

	private long startOfScenario;

	/**
	 * Create a progress.
	 * @param out receives lines
	 * @param nanos the clock
	 * @param scenarios the names of all scenarios of the run
	 * @param seconds how long scenarios took the last time, as far as that is known
	 */
	Progress(Consumer<String> out, LongSupplier nanos, List<String> scenarios, Map<String, Long> seconds) {
		this.out = out;
		this.nanos = nanos;
		this.start = nanos.getAsLong();
		this.scenarios = scenarios;
		this.seconds = new HashMap<>(seconds);
	}

	void begin() {
		this.index++;
		this.startOfScenario = this.nanos.getAsLong();
		OptionalDouble mean = this.seconds.values().stream().mapToLong(Long::longValue).average();
		String left = mean.isEmpty() ? ""
				: ", about " + format(this.scenarios.subList(this.index, this.scenarios.size())
					.stream()
					.mapToLong((name) -> this.seconds.getOrDefault(name, Math.round(mean.getAsDouble())))
					.sum()) + " left";
		this.out.accept("== " + scenario() + " (" + (this.index + 1) + " of " + this.scenarios.size() + left + ")");
	}

	void step(String step) {
		this.out.accept("-- " + format(secondsSince(this.start)) + "  " + step);
	}

	/**
	 * End the scenario.
	 * @return how many seconds it took
	 */
	long end(String outcome) {
		long took = secondsSince(this.startOfScenario);
		this.seconds.put(scenario(), took);
		this.out.accept("== " + scenario() + " " + outcome + " " + format(took) + "\n");
		return took;
	}

	String total() {
		return format(secondsSince(this.start));
	}

	private String scenario() {
		return this.scenarios.get(this.index);
	}

	private long secondsSince(long begin) {
		return Duration.ofNanos(this.nanos.getAsLong() - begin).toSeconds();
	}

	private static String format(long seconds) {
		return String.format(Locale.ROOT, "%d:%02d min", seconds / 60, seconds % 60);
	}

}
