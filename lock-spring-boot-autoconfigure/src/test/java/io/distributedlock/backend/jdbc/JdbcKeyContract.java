package io.distributedlock.backend.jdbc;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys in a table, on any database.
 */
public abstract class JdbcKeyContract {

	private final JdbcTestDatabase database = database();

	private JdbcTestClient client;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
	}

	@Test
	void keysThatLookAlikeAreKeptApart() {
		List<String> keys = List.of("a", "A", "a ", "a  ", " a", "á", "a\u0301", "ａ", "a\0", "a\0\0", "\0a", "a\\0",
				"a\\", "a\\\\", "\\0", "a\t", "a\n", "ss", "ß", "ﬁ", "fi", "a%", "a_", "a'", "a\"", "a:b", ":a", "?",
				"lock:a", "I", "ı", "i", "İ", "\uFFFD", "\uFEFFa", "a\u200B");

		List<LeaseGrant> grants = keys.stream().map(this.client::acquire).toList();

		assertThat(JdbcTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.containsExactlyInAnyOrderElementsOf(keys);
		assertThat(grants).allSatisfy((grant) -> assertThat(this.client.release(grant)).isTrue());
	}

	@Test
	void longestKeysWorkAndDifferInTheirLastCharacter() {
		List<String> keys = Stream.of("😀", "é", "a", "\0", "\\", "\uFFFF")
			.flatMap((last) -> Stream.of("😀".repeat(254) + last, "x".repeat(254) + last, "\0".repeat(254) + last))
			.toList();

		keys.forEach(this.client::acquire);

		assertThat(keys).allSatisfy((key) -> {
			assertThat(this.client.attempt(key)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(JdbcTestClient.await(this.client.connection().find(key))).get()
				.extracting(LockInfo::key)
				.isEqualTo(key);
		});
	}

	@Test
	void keysOfAnotherPrefixAreNotListed() {
		JdbcLockSettings settings = this.database.settings();
		JdbcLockSettings elsewhere = JdbcTestDatabase.settings("other:", "other", settings.table(),
				settings.callTimeout(), settings.tokenRetention(), settings.platform());
		try (JdbcTestClient other = new JdbcTestClient(this.database.dataSource(), elsewhere)) {
			other.acquire("order:42");
			this.client.acquire("order:42");

			assertThat(JdbcTestClient.await(ListedLocks.all(this.client.connection()))).hasSize(1);
			assertThat(JdbcTestClient.await(ListedLocks.all(other.connection()))).extracting(LockInfo::instance)
				.containsExactly("other");
		}
	}

}
