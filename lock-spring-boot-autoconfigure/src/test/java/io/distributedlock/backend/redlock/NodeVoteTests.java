package io.distributedlock.backend.redlock;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names holders as the script of a node does.
 */
class NodeVoteTests {

	@Test
	void holderIsNamedByTheBeginningOfTheSha1OfItsValue() {
		assertThat(NodeVote.hash("abc")).isEqualTo("a9993e364706");
	}

}
