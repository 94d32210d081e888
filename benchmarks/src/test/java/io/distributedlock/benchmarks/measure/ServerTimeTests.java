package io.distributedlock.benchmarks.measure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServerTimeTests {

	@Test
	void aProcessIsFoundByThePortOnWhichItListens() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThat(ServerTime.of(List.of(server.getLocalPort())).nanos())
				.containsKey(ProcessHandle.current().pid());
		}
	}

	@Test
	void withoutAServerThereIsNoTime() throws IOException {
		assertThat(ServerTime.of(List.of()).nanos()).isEmpty();
	}

	@Test
	void processesThatBeganMeanwhileCount() {
		ServerTime before = new ServerTime(Map.of(1L, 100L, 2L, 50L));
		ServerTime after = new ServerTime(Map.of(1L, 130L, 3L, 5L));

		assertThat(after.since(before)).isEqualTo(Duration.ofNanos(35));
	}

}
