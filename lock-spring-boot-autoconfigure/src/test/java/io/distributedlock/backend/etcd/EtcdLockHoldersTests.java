package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EtcdLockHolders} and {@link EtcdEntryValue}: which entries hold a
 * lock.
 */
class EtcdLockHoldersTests {

	private final EtcdKeys keys = new EtcdKeys("", new KeyPrefix(""));

	private final List<KeyValue> queue = new ArrayList<>();

	@Test
	void onlyTheFirstWriterHoldsTheLock() {
		KeyValue writer = enter(LockMode.EXCLUSIVE, null);
		enter(LockMode.EXCLUSIVE, null);
		enter(LockMode.SHARED, "0");

		assertHolders(writer);
	}

	@Test
	void readersHoldTheLockUpToTheFirstOfAnotherMode() {
		KeyValue first = enter(LockMode.SHARED, "0");
		KeyValue second = enter(LockMode.SHARED, "0");
		enter(LockMode.EXCLUSIVE, null);
		enter(LockMode.SHARED, "0");

		assertHolders(first, second);
	}

	@Test
	void permitHoldsTheLockIfFewerThanItsNumberAreBeforeIt() {
		KeyValue first = enter(LockMode.PERMITS, "2");
		KeyValue second = enter(LockMode.PERMITS, "2");
		enter(LockMode.PERMITS, "2");
		KeyValue fourth = enter(LockMode.PERMITS, "4");
		enter(LockMode.SHARED, "0");
		enter(LockMode.PERMITS, "2147483647");

		assertHolders(first, second, fourth);
	}

	@Test
	void memberThatIsKeptForItsCooldownCountsButHoldsNothing() {
		enter(LockMode.PERMITS, EtcdEntryValue.cooling(1).permits());
		KeyValue second = enter(LockMode.PERMITS, "2");
		enter(LockMode.PERMITS, "2");

		assertHolders(second);
	}

	@Test
	void noEntryHoldsTheLockBehindOneOfAnotherForm() {
		enter(LockMode.SHARED, "many");
		enter(LockMode.SHARED, "0");

		assertHolders();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1|10|1700000000000|0|a|b", "1024|86400|0|2147483647|", "1|1|1|c|" })
	void valueOfAMemberIsReadBackAsItWasWritten(String text) {
		KeyValue entry = put(LockMode.PERMITS, text);

		assertThat(EtcdEntryValue.of(entry).orElseThrow().toBytes().toString()).isEqualTo(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1|10|1|a", "1|10|1|-1|a", "1|10|1||a", "1|10|1|12345678901|a", "0|10|1|0|a", "1|0|1|0|a",
			"v2;1|10|1|0|a", "" })
	void valueOfAnotherFormIsNotUnderstood(String text) {
		assertThat(EtcdEntryValue.of(put(LockMode.SHARED, text))).isEmpty();
	}

	private void assertHolders(KeyValue... holders) {
		Collections.shuffle(this.queue, new Random(1));
		assertThat(EtcdLockHolders.among(this.queue)).containsExactly(holders);
	}

	private KeyValue enter(LockMode mode, String permits) {
		KeyValue entry = put(mode,
				new EtcdEntryValue(1, Duration.ofSeconds(10), 1, permits, "test@host:1").toBytes().toString());
		this.queue.add(entry);
		return entry;
	}

	private KeyValue put(LockMode mode, String value) {
		ByteSequence name = this.keys.entry(LockTarget.of("k", mode), OwnerId.random());
		return new KeyValue(io.etcd.jetcd.api.KeyValue.newBuilder()
			.setKey(ByteString.copyFrom(name.getBytes()))
			.setValue(ByteString.copyFrom(value, StandardCharsets.UTF_8))
			.setCreateRevision(this.queue.size() + 1)
			.build(), ByteSequence.EMPTY);
	}

}
