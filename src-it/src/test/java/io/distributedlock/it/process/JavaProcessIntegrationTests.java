package io.distributedlock.it.process;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JavaProcessIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@Test
	void argumentsAndSystemPropertiesArriveAndOutputIsRead() throws Exception {
		JavaProcess process = this.processes.start("talker",
				JavaCommand.of(Talker.class).systemProperty("word", "hello").argument("world"));

		assertThat(process.awaitLine("says (.*)").group(1)).isEqualTo("hello world");
	}

	@Test
	void killedProcessIsGoneAndKeepsItsOutput() throws Exception {
		JavaProcess process = this.processes.start("talker", JavaCommand.of(Talker.class));
		process.awaitLine("says");

		process.kill();

		assertThat(process.isAlive()).isFalse();
		assertThat(process.output()).anyMatch((line) -> line.contains("says"));
	}

	@Test
	void processThatIsAskedToEndRunsItsShutdownHooks() throws Exception {
		JavaProcess process = this.processes.start("tidy", JavaCommand.of(Tidy.class));
		process.awaitLine("ready");

		assertThat(process.stop()).as("exit code after SIGTERM").isEqualTo(128 + 15);

		assertThat(process.output()).anyMatch((line) -> line.contains("tidied up"));
	}

	@Test
	void waitingForALineEndsWithTheProcess() throws Exception {
		JavaProcess process = this.processes.start("talker", JavaCommand.of(Talker.class));
		process.awaitLine("says");
		process.kill();

		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> process.awaitLine("never written"))
			.withMessageContaining("talker");
	}

	@Test
	void processEndsWithTheOneThatStartedItEvenIfThatWasKilled() throws Exception {
		JavaProcess parent = this.processes.start("parent", JavaCommand.of(Parent.class));
		long pid = Long.parseLong(parent.awaitLine("started (\\d+)").group(1));
		CompletableFuture<ProcessHandle> end = ProcessHandle.of(pid).orElseThrow().onExit();

		parent.kill();

		assertThat(end).succeedsWithin(30, TimeUnit.SECONDS);
	}

	@Test
	void applicationsDoNotSeeTheTestsClasses() throws Exception {
		JavaProcess process = this.processes.start("talker", JavaCommand.of(Talker.class).withoutTestClasses());

		process.awaitLine("ClassNotFoundException: .*Talker");
	}

	/**
	 * Prints its arguments and waits.
	 */
	public static class Talker {

		public static void main(String[] args) throws InterruptedException {
			System.out.println("says " + System.getProperty("word") + " " + String.join(" ", args));
			Thread.sleep(60_000);
		}

	}

	/**
	 * Needs a while for its shutdown.
	 */
	public static class Tidy {

		public static void main(String[] args) throws InterruptedException {
			Runtime.getRuntime().addShutdownHook(new Thread(Tidy::tidyUp));
			System.out.println("ready");
			Thread.sleep(60_000);
		}

		private static void tidyUp() {
			try {
				Thread.sleep(300);
				System.out.println("tidied up");
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

	/**
	 * Starts another process and waits.
	 */
	public static class Parent {

		public static void main(String[] args) throws IOException, InterruptedException {
			JavaProcess child = new JavaProcesses().start("child", JavaCommand.of(Talker.class));
			System.out.println("started " + child.pid());
			Thread.sleep(60_000);
		}

	}

}
