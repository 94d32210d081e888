package io.distributedlock.backend.redlock;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that wait until it is known which nodes vote.
 */
class NodeReadinessTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final NodesFixture fixture = new NodesFixture(3);

	private final List<SlowNode> nodes = this.fixture.ways().stream().map((way) -> new SlowNode(way.name())).toList();

	private final NodeGroup group = new NodeGroup(this.nodes, this.fixture.settings, this.fixture.clock,
			RandomSource.ofThreads(), RedlockListener.NONE);

	private final List<CompletableFuture<Void>> later = new ArrayList<>();

	@Test
	void callThatBeginsWhileOthersGoOnWaitsForNodesThatConnectAgain() {
		this.group.open();
		this.nodes.get(0).fail();
		this.nodes.get(1).fail();
		CompletableFuture<Void> first = this.group.ready(LONG).toCompletableFuture();
		CompletableFuture<Void> second = this.group.ready(LONG).toCompletableFuture();
		first.thenRun(() -> {
			this.fixture.clock.advance(Duration.ofMillis(100));
			this.later.add(this.group.ready(LONG).toCompletableFuture());
		});

		this.nodes.get(2).fail();

		assertThat(first).isCompleted();
		assertThat(second).isCompleted();
		assertThat(this.later).singleElement().returns(false, CompletableFuture::isDone);
	}

	/**
	 * A node to which no connection is opened until it fails.
	 */
	private static final class SlowNode implements RedlockNode {

		private final String name;

		private CompletableFuture<NodeSession> connecting = new CompletableFuture<>();

		SlowNode(String name) {
			this.name = name;
		}

		void fail() {
			this.connecting.completeExceptionally(new ConnectException("on purpose"));
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public CompletionStage<NodeSession> connect() {
			this.connecting = new CompletableFuture<>();
			return this.connecting;
		}

		@Override
		public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
			return new CompletableFuture<>();
		}

		@Override
		public void close() {
		}

	}

}
