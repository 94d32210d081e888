package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.backend.redlock.NodeVote;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a node reports is bounded, however wrong its clock is.
 */
class NodeRepliesTests {

	@ParameterizedTest
	@CsvSource({ "5000, 5000", "0, 0", "-1, -1", "-2, 0", "-9000000000000000, 0", "9000000000000000, 315360000000" })
	void restOfALockIsBounded(long reported, long rest) {
		assertThat(NodeReplies.vote(List.of(0L, reported, 7L, text("hash"), 1L)))
			.isEqualTo(new NodeVote.Busy(rest, 7, "hash", 1));
		assertThat(NodeReplies.holders(List.of(text("a|b"), reported, text("7"))).get(0).restMillis()).isEqualTo(rest);
	}

	@ParameterizedTest
	@CsvSource({ "1780000000, 1780000000000007", "-5, 7", "9000000000000, 9007199254000007" })
	void timeOfANodeIsBounded(long seconds, long micros) {
		assertThat(NodeReplies.timed(List.of(List.of(), text(String.valueOf(seconds)), text("7")), List::size).micros())
			.isEqualTo(micros);
	}

	@Test
	void counterThatIsNoneIsShownAsNone() {
		assertThat(NodeReplies.holders(List.of(text("a|b"), 5L, text("99999999999999999999"))).get(0))
			.isEqualTo(new NodeHolder(LockMode.EXCLUSIVE, "a|b", Duration.ofMillis(5).toMillis(), 0, 1));
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
