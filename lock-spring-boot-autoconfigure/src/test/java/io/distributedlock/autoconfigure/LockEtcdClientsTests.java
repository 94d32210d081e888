package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEtcdClients}.
 */
class LockEtcdClientsTests {

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1:2379", "http://10.0.0.1:2379", "[::1]:2379", "https://[2001:db8::1]:2379" })
	void requestToAnAddressIsSentOnTheThreadThatMakesIt(String member) {
		assertThat(executor(null, member)).isInstanceOf(LockEtcdSender.class);
	}

	/**
	 * The driver looks up the name on the thread that sends.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "etcd1:2379", "https://etcd.example.org:2379", "localhost:2379" })
	void requestToANameIsSentOnAThreadOfTheDriver(String member) {
		assertThat(executor(null, member)).isNotInstanceOf(LockEtcdSender.class);
	}

	@Test
	void oneNameIsEnough() {
		assertThat(executor(null, "127.0.0.1:2379", "etcd2:2379")).isNotInstanceOf(LockEtcdSender.class);
	}

	@Test
	void requestOfAUserIsSentOnAThreadOfTheDriver() {
		assertThat(executor("locks", "127.0.0.1:2379")).isNotInstanceOf(LockEtcdSender.class);
	}

	private static Object executor(@Nullable String user, String... members) {
		try (Client client = new LockEtcdClients(new MemberDetails(user, List.of(members)), Duration.ofSeconds(1))
			.get()) {
			Object connections = ReflectionTestUtils.getField(client, "connectionManager");
			return ReflectionTestUtils.getField(connections, "executorService");
		}
	}

	private record MemberDetails(@Nullable String user, List<String> members) implements EtcdConnectionDetails {

		@Override
		public List<String> getEndpoints() {
			return this.members;
		}

		@Override
		public @Nullable String getUser() {
			return this.user;
		}

		@Override
		public @Nullable String getPassword() {
			return this.user;
		}

	}

}
