package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.contract.CapturedLog;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an application logs no warning if it stops while its stores are reachable.
 */
@RequiresEtcd
@Isolated
class CleanStopIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	private static List<String> properties(SharedStore store) {
		List<String> properties = new ArrayList<>(store.properties());
		properties.addAll(List.of("spring.config.location=optional:classpath:/none/",
				"lock.key-prefix=lock:" + UUID.randomUUID() + ":", "lock.leader-election.roles=reports"));
		return properties;
	}

	@ParameterizedTest
	@EnumSource
	void contextThatIsClosedWarnsOfNothing(SharedStore store) {
		ConfigurableApplicationContext application = StoppingJvm.start(properties(store));
		try (CapturedLog log = CapturedLog.atDebug("io.distributedlock")) {
			application.close();

			// Clients of other tests may log warnings in this JVM.
			assertThat(log.lines()).filteredOn((line) -> line.logger().startsWith("io.distributedlock"))
				.isNotEmpty()
				.noneMatch(CapturedLog.Line::isProblem);
		}
	}

	@Test
	@Tag("topology")
	void jvmThatEndsWarnsOfNothing() throws Exception {
		JavaCommand command = JavaCommand.of(StoppingJvm.class);
		for (SharedStore store : SharedStore.values()) {
			command = command.argument(String.join("|", properties(store)));
		}
		JavaProcess process = this.processes.start("stopping", command.option("-Xmx256m"));
		process.awaitLine("^ready$");
		int before = process.output().size();

		process.stop();

		List<String> after = process.output().subList(before, process.output().size());
		assertThat(after).noneMatch((line) -> line.matches(".* (WARN|ERROR) .*|SLF4J.*|\\s+at .*|.*Exception.*"));
	}

}
