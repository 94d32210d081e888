package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * When, how, and on which commit and machine a scenario was measured. It is kept beside
 * the results as a file of properties.
 *
 * @param date the day, as in {@code 2026-01-31}
 * @param commit the commit of the sources
 * @param setting how long and with how many threads it was measured
 * @param leftOut the stores that were not measured, each with its reason
 * @param seconds how long the scenario took
 * @param machine the machine and its software, by name
 */
public record Measurement(String date, String commit, Setting setting, List<String> leftOut, long seconds,
		MachineData machine) {

	private static final String LIST = "; ";

	/**
	 * Return whether documentation can be written from the results.
	 * @return whether everything was measured
	 */
	public boolean isComplete() {
		return this.setting.complete() && this.leftOut.isEmpty();
	}

	void write(Path file) throws IOException {
		TreeMap<String, String> properties = new TreeMap<>();
		properties.put("date", this.date);
		properties.put("commit", this.commit);
		properties.put("effort", this.setting.effort());
		properties.put("threads",
				this.setting.threads().stream().map(String::valueOf).collect(Collectors.joining(LIST)));
		properties.put("stores", String.join(LIST, this.setting.stores()));
		properties.put("complete", String.valueOf(this.setting.complete()));
		properties.put("left-out", String.join(LIST, this.leftOut));
		properties.put("seconds", String.valueOf(this.seconds));
		properties.put("processor", this.machine.processor());
		properties.put("memory", this.machine.memory());
		properties.put("system", this.machine.system());
		properties.put("jdk", this.machine.jdk());
		properties.put("servers", this.machine.servers());
		properties.put("libraries", this.machine.libraries());
		Files.write(file,
				properties.entrySet().stream().map((entry) -> entry.getKey() + "=" + entry.getValue()).toList());
	}

	static Measurement read(Path file) throws IOException {
		Properties properties = new Properties();
		try (Reader reader = Files.newBufferedReader(file)) {
			properties.load(reader);
		}
		Setting setting = new Setting(properties.getProperty("effort", ""),
				list(properties, "threads").stream().map(Integer::valueOf).toList(), list(properties, "stores"),
				Boolean.parseBoolean(properties.getProperty("complete")));
		MachineData machine = new MachineData(properties.getProperty("processor", ""),
				properties.getProperty("memory", ""), properties.getProperty("system", ""),
				properties.getProperty("jdk", ""), properties.getProperty("servers", ""),
				properties.getProperty("libraries", ""));
		return new Measurement(properties.getProperty("date", ""), properties.getProperty("commit", ""), setting,
				list(properties, "left-out"), Long.parseLong(properties.getProperty("seconds", "0")), machine);
	}

	private static List<String> list(Properties properties, String name) {
		String value = properties.getProperty(name, "");
		return value.isBlank() ? List.of() : List.of(value.split(LIST));
	}

	/**
	 * How a scenario was measured.
	 *
	 * @param effort the rounds, or what was measured instead
	 * @param threads the numbers of threads
	 * @param stores the names of the stores
	 * @param complete whether nothing was left out on the command line and the rounds
	 * were long enough, so that documentation can be written from the figures
	 */
	public record Setting(String effort, List<Integer> threads, List<String> stores, boolean complete) {

		/**
		 * Return whether figures of another run took about the same time.
		 * @param other how they were measured
		 * @return whether rounds, threads and stores are the same
		 */
		public boolean isLike(Setting other) {
			return this.effort.equals(other.effort) && this.threads.equals(other.threads)
					&& this.stores.equals(other.stores);
		}

	}

}
