package io.distributedlock.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.management.OperatingSystemMXBean;

/**
 * The machine on which something is measured, and the versions of what runs on it.
 *
 * @param processor the number of cores and their model
 * @param memory the size of the memory
 * @param system the kernel
 * @param jdk the JDK and the size of its heap
 * @param servers the servers of the stores
 * @param libraries the drivers and the other libraries
 */
public record MachineData(String processor, String memory, String system, String jdk, String servers,
		String libraries) {

	private static final double GIBIBYTE = 1L << 30;

	/**
	 * Describe this machine.
	 * @return its data; what can't be found out is left out
	 */
	public static MachineData ofThisMachine() {
		Runtime runtime = Runtime.getRuntime();
		String model = processorModel().map((name) -> ", " + name).orElse("");
		String kernel = System.getProperty("os.version").replaceAll("^([\\d.]+).*", "$1");
		return new MachineData(runtime.availableProcessors() + " cores" + model, memorySize() + " GiB",
				System.getProperty("os.name") + " " + kernel + ", " + System.getProperty("os.arch"),
				System.getProperty("java.version") + ", heap of at most " + Table.number(runtime.maxMemory() / GIBIBYTE)
						+ " GiB",
				SoftwareVersions.servers(), SoftwareVersions.libraries());
	}

	private static String memorySize() {
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		return String.valueOf(Math.round(system.getTotalMemorySize() / GIBIBYTE));
	}

	private static Optional<String> processorModel() {
		try {
			Matcher model = Pattern.compile("model name\\s*:\\s*(.+)")
				.matcher(Files.readString(Path.of("/proc/cpuinfo")));
			return model.find() ? Optional.of(model.group(1).strip()) : Optional.empty();
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

}
