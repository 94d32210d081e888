package io.distributedlock.backend.redlock;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A vote that comes late needs no release of its own only where one is certain to be
 * executed after it.
 */
class ClaimTests {

	private final DirectNode node = new NodesFixture(1).node(0);

	private final NodeSession session = connect();

	private final Claim claim = new Claim(NodesFixture.owner(), NodesFixture.KEY, "value", null, 1, 1);

	@Test
	void releaseThatIsSentBehindTheRequestIsEnough() {
		this.claim.asks(0, this.session, 0);
		this.claim.sent(0);

		this.claim.end(true, 0);

		assertThat(this.claim.isLeftAt(0)).isFalse();
	}

	@Test
	void releaseThatMayOvertakeTheRequestIsNotEnough() {
		this.claim.asks(0, this.session, 0);

		this.claim.end(true, 0);
		this.claim.sent(0);

		assertThat(this.claim.isLeftAt(0)).isTrue();
	}

	@Test
	void releaseThatMayOvertakeTheSecondRequestIsNotEnough() {
		this.claim.asks(0, this.session, 0);
		this.claim.sent(0);
		this.claim.asks(0, this.session, 0);

		this.claim.end(true, 0);

		assertThat(this.claim.isLeftAt(0)).isTrue();
	}

	@Test
	void nothingIsLeftBeforeTheEnd() {
		this.claim.asks(0, this.session, 0);

		assertThat(this.claim.isLeftAt(0)).isFalse();
	}

	@Test
	void nodeIsNotAskedAfterTheEnd() {
		this.claim.end(false, 0);

		assertThat(this.claim.asks(0, this.session, 0)).isFalse();
	}

	private NodeSession connect() {
		return this.node.way().connect().toCompletableFuture().join();
	}

}
