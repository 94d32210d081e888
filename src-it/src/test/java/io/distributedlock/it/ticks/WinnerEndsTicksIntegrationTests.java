package io.distributedlock.it.ticks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for processes that run a tick and end with it. Another process comes to the same
 * tick after all their leases have expired, because its clock is behind by more than
 * that. Only the ticks that the stores remember keep it from running them again.
 */
class WinnerEndsTicksIntegrationTests {

	private static final String EACH_OTHER_SECOND = "*/2 * * * * *";

	private static final Pattern RUN = Pattern
		.compile("^ran (?<store>\\S+) (?<job>\\S+) (?<tick>\\S+)(?<last> last)?$");

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	private final String prefix = "winner-" + OwnerId.random().value().substring(0, 8) + ":";

	private final List<TickStore> stores = TickStore.all(getClass());

	@Test
	void tickOfAProcessThatEndsWithItIsNotRunAgainAndLaterOnesRun() throws Exception {
		JavaProcess exiting = start("exit", "ticks.exit=" + EACH_OTHER_SECOND);
		JavaProcess halting = start("halt", "ticks.halt=" + EACH_OTHER_SECOND);
		JavaProcess stalling = start("stall", "ticks.stall=" + EACH_OTHER_SECOND);
		JavaProcess follower = start("never", "ticks.exit=" + EACH_OTHER_SECOND, "ticks.halt=" + EACH_OTHER_SECOND,
				"ticks.stall=" + EACH_OTHER_SECOND, "ticks.behind=7s");
		List<JavaProcess> winners = List.of(exiting, halting, stalling);
		for (JavaProcess process : this.processes.all()) {
			process.awaitLine("^ready$");
		}

		Files.createFile(this.folder.resolve("begin"));
		for (TickStore store : this.stores) {
			stalling.awaitLine("^ran " + store.name() + " .* last$");
		}
		stalling.kill();
		exiting.awaitEnd();
		halting.awaitEnd();

		List<Run> last = runs(winners).stream().filter(Run::isLast).toList();
		assertThat(last).hasSize(3 * this.stores.size());
		for (Run run : last) {
			awaitLaterRun(follower, run);
		}
		assertThat(runs(this.processes.all()).stream().map(Run::what)).doesNotHaveDuplicates();
		assertThat(last).as("ticks that the follower came to")
			.anyMatch((run) -> follower.output().contains("refused " + run.what()));
	}

	private JavaProcess start(String end, String... jobs) throws Exception {
		JavaCommand command = JavaCommand.of(TickingJvm.class)
			.option("-Xmx256m")
			.argument(end)
			.argument(this.folder.toString());
		for (TickStore store : this.stores) {
			List<String> words = new ArrayList<>(List.of(store.name(), "lock.key-prefix=" + this.prefix,
					"logging.level.root=error", "lock.instance-id=" + end));
			words.addAll(store.direct());
			words.addAll(List.of(jobs));
			command = command.argument(String.join("|", words));
		}
		return this.processes.start(end, command);
	}

	private static List<Run> runs(List<JavaProcess> processes) {
		return processes.stream()
			.flatMap((process) -> process.output().stream())
			.map(RUN::matcher)
			.filter(Matcher::matches)
			.map(Run::of)
			.toList();
	}

	/**
	 * Wait until another process has run a later tick of the job. On a busy machine it
	 * skips some ticks.
	 */
	private static void awaitLaterRun(JavaProcess follower, Run run) {
		Awaitility.await("a run after " + run)
			.atMost(Duration.ofMinutes(2))
			.until(() -> runs(List.of(follower)).stream().anyMatch((other) -> other.isLaterThan(run)));
	}

	/**
	 * A body that ran.
	 */
	private record Run(String job, Instant tick, boolean isLast) {

		static Run of(Matcher line) {
			return new Run(line.group("store") + " " + line.group("job"), Instant.parse(line.group("tick")),
					line.group("last") != null);
		}

		String what() {
			return this.job + " " + this.tick;
		}

		boolean isLaterThan(Run other) {
			return this.job.equals(other.job) && this.tick.isAfter(other.tick);
		}

	}

}
