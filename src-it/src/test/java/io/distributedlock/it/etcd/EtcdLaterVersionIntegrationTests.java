package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that a key with an entry that this version does not understand is taken, and that
 * the entry is left alone.
 */
@RequiresEtcd
class EtcdLaterVersionIntegrationTests {

	private static final String OWNER = "0123456789abcdef0123456789abcdef";

	private static final String PLACE_VALUE = "1|10|1700000000000|later@host:1";

	private static final Instant TICK = Instant.parse("2026-03-29T01:30:00Z");

	private final String key = EtcdTestClient.newKey();

	private EtcdTestClient client;

	@BeforeEach
	void open() {
		this.client = new EtcdTestClient(EtcdServer.client());
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	@ParameterizedTest
	@CsvSource({ "/a, later", "/h, later", "/x/1, later", "/w/" + OWNER + ", v2;later", "/w/" + OWNER + ", 1|10|later",
			"/w/" + OWNER + ", 1|0|1|later", "/w/" + OWNER + ", 1|9999999999|1|later",
			"/w/q" + OWNER + ", " + PLACE_VALUE, "/w/short, " + PLACE_VALUE, "/w/r" + OWNER + ", " + PLACE_VALUE,
			"/w/s" + OWNER + ", 1|10|1|many|later" })
	void keyWithSomethingUnknownIsTakenAndLeftAsItIs(String name, String value) {
		Entry before = put(name, value);

		for (LockMode mode : LockMode.values()) {
			if (!name.startsWith("/w/r") || mode != LockMode.SHARED) {
				assertTaken(attempt(mode, false), name);
				assertTaken(attempt(mode, true), name);
			}
		}
		assertRefused(() -> EtcdTestClient.await(this.client.connection().find(this.key)), name);
		assertRefused(() -> EtcdTestClient.await(this.client.connection().forceRelease(this.key, Duration.ZERO)), name);

		assertOnlyEntryIs(before);
		delete(name);
		assertThat(this.client.release(this.client.acquire(this.key))).isTrue();
	}

	@Test
	void holderReleasesBesideSomethingUnknown() {
		LeaseGrant grant = this.client.acquire(this.key);
		Entry unknown = put("/h", "later");

		assertThat(this.client.release(grant)).isTrue();

		assertOnlyEntryIs(unknown);
		delete("/h");
	}

	@Test
	void noteThatEveryVersionMayIgnoreKeepsTheLockFree() {
		put("/~note", "later");

		assertThat(this.client.release(this.client.acquire(this.key))).isTrue();
		assertThat(EtcdTestClient.await(this.client.connection().find(this.key))).isEmpty();

		delete("/~note");
	}

	@Test
	void tickOfAnotherFormIsNeitherDoneNorReplaced() {
		Entry before = put("/t", "v2;2026-03-29T01:30:00Z");

		assertTaken(this.client.attempt(this.key, this.client.request(false, TICK)), "/t");

		assertOnlyEntryIs(before);
		delete("/t");
	}

	@Test
	void listLeavesOutWhatItDoesNotUnderstand() {
		String other = EtcdTestClient.newKey();
		LeaseGrant grant = this.client.acquire(other);
		put("/w/r" + OWNER, PLACE_VALUE);

		assertThat(EtcdTestClient.await(ListedLocks.all(this.client.connection()))).extracting((lock) -> lock.key())
			.contains(other)
			.doesNotContain(this.key);

		delete("/w/r" + OWNER);
		this.client.release(grant);
	}

	private AttemptOutcome attempt(LockMode mode, boolean waiting) {
		return this.client.attempt(LockTarget.of(this.key, mode), this.client.request(mode, waiting));
	}

	private void assertTaken(AttemptOutcome outcome, String name) {
		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.sent()).isFalse();
			assertThat(unavailable.cause()).isInstanceOf(LockUnavailableException.class)
				.hasMessageContaining("'" + this.key + "'")
				.hasMessageContaining(this.key + name + "'")
				.hasMessageContaining("later version");
		});
	}

	private void assertRefused(Runnable call, String name) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(call::run)
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessageContaining(this.key + name + "'");
	}

	private void assertOnlyEntryIs(Entry entry) {
		assertThat(stored()).containsExactly(entry);
	}

	private List<Entry> stored() {
		return EtcdTestClient.stored(EtcdServer.client(), root() + "/").stream().map(Entry::of).toList();
	}

	private Entry put(String name, String value) {
		EtcdTestClient.await(EtcdServer.client().getKVClient().put(bytes(root() + name), bytes(value)));
		return Entry.of(EtcdTestClient.stored(EtcdServer.client(), root() + name).get(0));
	}

	private void delete(String name) {
		EtcdTestClient.await(EtcdServer.client().getKVClient().delete(bytes(root() + name)));
	}

	private String root() {
		return EtcdTestClient.NAMESPACE + EtcdTestClient.PREFIX + this.key;
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	/**
	 * A stored entry.
	 *
	 * @param name its name
	 * @param value its value
	 * @param revision when it was put there
	 */
	private record Entry(String name, String value, long revision) {

		static Entry of(KeyValue stored) {
			return new Entry(stored.getKey().toString(), stored.getValue().toString(), stored.getModRevision());
		}

	}

}
