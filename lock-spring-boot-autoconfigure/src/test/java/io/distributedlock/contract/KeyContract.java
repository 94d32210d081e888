package io.distributedlock.contract;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All kinds of valid keys work, and different keys are different locks. The tests use the
 * same keys, so only one of them runs at a time.
 */
abstract class KeyContract extends WaitingContract {

	/**
	 * Valid keys that a store, file system, pattern or collation may confuse with another
	 * one.
	 */
	private static final List<String> KEYS = List.of("key", "Key", "KEY", " key", "key ", "key  ", "\tkey", "key\n",
			"key\r\n", "k", "ke", "key:", ":key", "key:a", "key:a:b", "lock:", "lock:key", "/", "//", "a/b", "a/b/",
			"/a/b", "a//b", "file:///x//y", ".", "..", "a/.", "a/..", "../a", "%", "%2F", "a%2Fb", "a%2fb", "a%252Fb",
			"a+b", "a b", "a\\b", "a\\\\b", "{a}", "{}", "{a}b", "#{a}", "${a}", "*", "ke*", "k?y", "[k]ey", "k_y",
			"k%", "'", "''", "\"", "`", ";--", "a,b", "\u0000", "a\u0000", "a\u0000b", "\u0000a", "a\u0000\u0000",
			"\u0001", "\u001b[0m", "\u007f", "\u0085", "a\u00a0b", "caf\u00e9", "cafe\u0301", "cafe", "stra\u00dfe",
			"strasse", "i", "I", "\u0130", "\u0131", "\uff4b\uff45\uff59", "key\u200b", "\ufeffkey", "key\u00ad",
			"\u05d0\u05d1", "\ufffd", "\uffff", "\ud83d\ude00", "\ud83d\ude01", "\ud83d\ude00".repeat(255),
			"x".repeat(255), "x".repeat(254), "x".repeat(254) + "y", "x".repeat(254) + " ", "\u0000".repeat(255),
			"\u00e9".repeat(255), "lock-0000000001", "tick-1", "_c_0", "null", "0", "00", "1e0", "-1");

	@Test
	@ResourceLock("keys")
	void keysAreKeptApartWhenAcquiredAndWhenReleased() {
		freeAll();
		Map<String, LeaseGrant> grants = acquireAll();

		KEYS.forEach((key) -> assertBusy(second(), key));
		KEYS.forEach((key) -> {
			assertThat(release(first(), grants.get(key))).as("release of '%s'", key).isTrue();
			acquire(second(), key);
		});
		KEYS.forEach(
				(key) -> assertThat(get(first().forceRelease(key, Duration.ZERO))).as("'%s' was held", key).isTrue());
	}

	@Test
	@ResourceLock("keys")
	void keysAreFoundAsTheyWereWritten() {
		freeAll();
		Map<String, LeaseGrant> grants = acquireAll();

		grants.forEach((key, grant) -> {
			LockInfo found = find(second(), key).orElseThrow();
			assertThat(found.key()).isEqualTo(key);
			assertThat(found.fencingToken()).isEqualTo(grant.token().last());
		});
	}

	@Test
	@ResourceLock("keys")
	void keysAreListedAsTheyWereWritten() {
		freeAll();
		acquireAll();

		assertThat(get(ListedLocks.all(second()))).extracting(LockInfo::key)
			.filteredOn(KEYS::contains)
			.containsExactlyInAnyOrderElementsOf(KEYS);
	}

	@Test
	@ResourceLock("keys")
	void keysAreTakenAwayAsTheyWereWritten() {
		freeAll();
		Map<String, LeaseGrant> grants = acquireAll();

		grants.forEach((key, grant) -> {
			assertStands(first(), grant);
			assertThat(get(second().forceRelease(key, Duration.ZERO))).isTrue();
			assertLost(first(), grant);
		});
	}

	private Map<String, LeaseGrant> acquireAll() {
		Map<String, LeaseGrant> grants = new LinkedHashMap<>();
		KEYS.forEach((key) -> grants.put(key, acquire(first(), key)));
		return grants;
	}

	private void freeAll() {
		KEYS.forEach((key) -> get(first().forceRelease(key, Duration.ZERO)));
	}

}
