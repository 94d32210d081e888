package io.distributedlock.it.weaving;

import java.util.regex.Pattern;

import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WovenApplication} in a JVM with AspectJ's agent.
 */
class WeavingIntegrationTests {

	@RegisterExtension
	static final JavaProcesses PROCESSES = new JavaProcesses();

	private static JavaProcess application;

	@BeforeAll
	static void start() throws Exception {
		String agent = Agent.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		application = PROCESSES.start("woven", JavaCommand.of(WovenApplication.class).option("-javaagent:" + agent));
	}

	private static String outcome(String what) throws InterruptedException {
		return application.awaitLine("^\\[" + Pattern.quote(what) + "\\] (.*)$").group(1);
	}

	@ParameterizedTest
	@CsvSource({ "self, order:2", "private, private:3", "static, static:4", "stranger, order:5", "class, class",
			"inherited, class", "final, final composed another false", "final method, final method composed false",
			"falls back, insteadtrue", "fails, IOException failing", "object, nothing", "unlocked before, nothing" })
	void whatNoProxyCouldLockIsLocked(String what, String expected) throws Exception {
		assertThat(outcome(what)).isEqualTo(expected);
	}

	@Test
	void aCallThroughAProxyIsLockedOnceAndItsKeyComputedOnce() throws Exception {
		assertThat(outcome("proxied")).isEqualTo("counted:1 1 true");
	}

	@ParameterizedTest
	@ValueSource(strings = { "before", "after", "closed" })
	void withoutAnApplicationContextNoBodyRuns(String what) throws Exception {
		assertThat(outcome(what)).startsWith("LockUnavailableException ").contains("does not run");
	}

	@Test
	void whereSeveralApplicationContextsCouldBeMeantNoBodyRuns() throws Exception {
		assertThat(outcome("stranger of two")).startsWith("LockUnavailableException ")
			.contains("there are several application contexts");
		assertThat(outcome("stranger after the first")).isEqualTo("order:1");
	}

	@Test
	void aBeanUsesTheLocksOfItsOwnApplicationContext() throws Exception {
		assertThat(outcome("first of two")).isEqualTo("private:7 1 0");
		assertThat(outcome("second of two")).isEqualTo("private:7 1 0");
	}

	@Test
	void onlyTheBodiesThatWereLockedHaveRun() throws Exception {
		assertThat(outcome("bodies")).isEqualTo("15");
	}

}
