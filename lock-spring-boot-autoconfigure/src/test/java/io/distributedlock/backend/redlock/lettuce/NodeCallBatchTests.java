package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.lettuce.NodeCall.VoteTerms;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NodeCallBatch}.
 */
class NodeCallBatchTests {

	private static final VoteTerms TERMS = new VoteTerms("ok:a", 3, 0, 1000);

	private final NodeCallBatch batch = new NodeCallBatch(bytes("state"), bytes("marks"));

	@Test
	void oneVoteIsSentByItsOwnScript() {
		this.batch.add(vote("one", TERMS));

		assertThat(encoded()).isEqualTo(List.of("EVALSHA", NodeScripts.ACQUIRE.sha1(), "5", "state", "marks", "one",
				"one:c", "one:w", "ok:a", "3", "0", "1000", "me", "30000", "17", "1", "", "0"));
	}

	@Test
	void oneReleaseIsSentByItsOwnScript() {
		this.batch.add(release("one"));

		assertThat(encoded()).isEqualTo(
				List.of("EVALSHA", NodeScripts.RELEASE.sha1(), "3", "one", "one:c", "one:w", "me", "0", "", "channel"));
	}

	@Test
	void callsAreSentInTheirOrderByOneScript() {
		this.batch.add(release("one"));
		this.batch.add(vote("one", TERMS));

		assertThat(encoded()).isEqualTo(List.of("EVALSHA", NodeScripts.CALLS.sha1(), "8", "state", "marks", "one",
				"one:c", "one:w", "one", "one:c", "one:w", "ok:a", "3", "0", "1000", "release", "me", "0", "",
				"channel", "acquire", "me", "30000", "17", "1", "", "0"));
	}

	@Test
	void votesUnderAnotherStateAreSentApart() {
		assertThat(this.batch.add(vote("one", TERMS))).isTrue();
		assertThat(this.batch.add(vote("two", new VoteTerms("ok:b", 3, 0, 1000)))).isFalse();
		assertThat(this.batch.add(release("three"))).isTrue();
	}

	@Test
	void callsThatComeWhenItWasWrittenAreSentApart() {
		this.batch.add(vote("one", TERMS));

		encoded();

		assertThat(this.batch.add(release("two"))).isFalse();
	}

	@Test
	void takesABoundedNumberOfCalls() {
		int added = 0;
		while (this.batch.add(release("one"))) {
			added++;
		}

		assertThat(added).isEqualTo(32);
	}

	@Test
	void errorIsTheAnswerToOneCall() {
		NodeCall first = vote("one", TERMS);
		NodeCall second = release("two");
		NodeCall third = vote("three", TERMS);
		List.of(first, second, third).forEach(this.batch::add);

		this.batch.answered(List.of(123L, 1L, List.of(7L, bytes("WRONGTYPE")), List.of(3L, 18L)),
				(error) -> new IllegalStateException(error.getMessage()));

		assertThat(first.answer().join().micros()).isEqualTo(123);
		assertThat(first.answer().join().value()).isEqualTo(List.of(1L));
		assertThat(second.answer()).failsWithin(0, TimeUnit.SECONDS)
			.withThrowableThat()
			.withMessageContaining("WRONGTYPE");
		assertThat(third.answer().join().value()).isEqualTo(List.of(3L, 18L));
	}

	@Test
	void missingAnswersFailAllCalls() {
		NodeCall first = vote("one", TERMS);
		NodeCall second = release("two");
		List.of(first, second).forEach(this.batch::add);

		this.batch.answered(List.of(123L, 1L), UnaryOperator.identity());

		assertThat(first.answer()).isCompletedExceptionally();
		assertThat(second.answer()).isCompletedExceptionally();
	}

	@Test
	void failureBeforeItWasWrittenFailsAllCallsAndEndsIt() {
		NodeCall call = vote("one", TERMS);
		this.batch.add(call);

		this.batch.failed(new IllegalStateException("gone"));

		assertThat(call.answer()).isCompletedExceptionally();
		assertThat(this.batch.add(release("two"))).isFalse();
	}

	private static NodeCall vote(String key, VoteTerms terms) {
		return NodeCall.vote(terms, names(key), "me", 30_000L, 17L, 1L, "", 0L);
	}

	private static NodeCall release(String key) {
		return NodeCall.release(names(key), "me", 0L, "", bytes("channel"));
	}

	private static List<byte[]> names(String key) {
		return List.of(bytes(key), bytes(key + ":c"), bytes(key + ":w"));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the words of the command.
	 */
	private List<String> encoded() {
		ByteBuf buffer = Unpooled.buffer();
		this.batch.encode(buffer);
		List<String> lines = List.of(buffer.toString(StandardCharsets.UTF_8).split("\r\n", -1));
		return IntStream.range(0, (lines.size() - 1) / 2).mapToObj((index) -> lines.get(2 + 2 * index)).toList();
	}

}
