package io.distributedlock.backend.redlock;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A late vote needs no release of its own only if a release is certain to be executed
 * after it.
 */
class AttemptRecordTests {

	private final DirectNode node = new NodesFixture(1).node(0);

	private final NodeSession session = connect();

	private final AttemptRecord record = new AttemptRecord(NodesFixture.owner(), LockTarget.exclusive(NodesFixture.KEY),
			"value", null, 1, 1);

	@Test
	void releaseThatIsSentBehindTheRequestIsEnough() {
		this.record.beginRequest(0, this.session, 0);
		this.record.at(0).sent();

		this.record.end(true, 0);

		assertThat(this.record.mayRemainAt(0)).isFalse();
	}

	@Test
	void releaseThatMayOvertakeTheRequestIsNotEnough() {
		this.record.beginRequest(0, this.session, 0);

		this.record.end(true, 0);
		this.record.at(0).sent();

		assertThat(this.record.mayRemainAt(0)).isTrue();
	}

	@Test
	void releaseThatMayOvertakeTheSecondRequestIsNotEnough() {
		this.record.beginRequest(0, this.session, 0);
		this.record.at(0).sent();
		this.record.beginRequest(0, this.session, 0);

		this.record.end(true, 0);

		assertThat(this.record.mayRemainAt(0)).isTrue();
	}

	@Test
	void nothingIsLeftBeforeTheEnd() {
		this.record.beginRequest(0, this.session, 0);

		assertThat(this.record.mayRemainAt(0)).isFalse();
	}

	@Test
	void nodeIsNotAskedAfterTheEnd() {
		this.record.end(false, 0);

		assertThat(this.record.beginRequest(0, this.session, 0)).isFalse();
	}

	private NodeSession connect() {
		return this.node.way().connect().toCompletableFuture().join();
	}

}
