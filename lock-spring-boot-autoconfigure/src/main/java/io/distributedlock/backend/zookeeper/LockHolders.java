package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.zookeeper.ZooKeeperRequests.Content;

/**
 * Determines the holders of locks from outside: the first in the queue, or the first ones
 * of a group, unless they wait for the end of a cooldown.
 * <p>
 * How many holders of permits there can be depends on their requests. Their number is in
 * the data of the nodes.
 *
 * @param paths the nodes of locks
 */
record LockHolders(LockPaths paths) {

	/**
	 * Return the holders of a key, or those that may be holders of permits.
	 * @return the first one first; fails if this version can't determine them
	 */
	CompletableFuture<Candidates> find(ZooKeeperSession session, String key) {
		return ZooKeeperFaults.orElse(session.requests().getChildren(this.paths.lock(key)), List.of())
			.thenCompose((names) -> {
				QueueListing listing = QueueListing.of(names);
				LockUnavailableException unknown = listing.takenByUnknown(key);
				if (unknown != null) {
					return CompletableFuture.failedFuture(unknown);
				}
				List<QueueNode> head = listing.head();
				if (head.isEmpty()) {
					return CompletableFuture.completedFuture(new Candidates(head, 0));
				}
				QueuePosition first = new QueuePosition(List.of(), head.get(0).mode(), 1);
				return ManyAnswers
					.join(first.relevant(listing.cooldowns()).stream().map((cooldown) -> find(session, key, cooldown)))
					.thenApply(
							(running) -> candidates(first, head, running.stream().flatMap(Optional::stream).toList()));
			});
	}

	private static Candidates candidates(QueuePosition first, List<QueueNode> head, List<CooldownNode> running) {
		boolean excluded = running.stream().anyMatch((cooldown) -> first.excludes(cooldown.mode()));
		return new Candidates(excluded ? List.of() : head, running.size());
	}

	/**
	 * Return a cooldown unless it is over.
	 */
	private CompletableFuture<Optional<CooldownNode>> find(ZooKeeperSession session, String key,
			CooldownNode cooldown) {
		return ZooKeeperFaults.orElse(
				session.requests()
					.exists(path(key, cooldown.name()))
					.thenApply((stat) -> Optional.of(cooldown)
						.filter((one) -> !one.rest(stat.getCtime(), session.heartbeat().storeMillis()).isZero())),
				Optional.empty());
	}

	/**
	 * Read the data of nodes.
	 * @return that of the nodes that still exist
	 */
	CompletableFuture<List<NodeData>> read(ZooKeeperSession session, String key, List<QueueNode> nodes) {
		return ManyAnswers
			.join(nodes.stream()
				.map((node) -> ZooKeeperFaults.<Optional<NodeData>>orElse(session.requests()
					.getData(path(key, node.name()))
					.thenApply((content) -> Optional.of(NodeData.of(node, content))), Optional.empty())))
			.thenApply((read) -> read.stream().flatMap(Optional::stream).toList());
	}

	private String path(String key, String name) {
		return this.paths.lock(key) + "/" + name;
	}

	/**
	 * The nodes that may be those of holders.
	 *
	 * @param nodes the nodes, all of one mode
	 * @param cooldowns how many cooldowns count as members of their group
	 */
	record Candidates(List<QueueNode> nodes, int cooldowns) {

		/**
		 * Return the holders.
		 * @param read the nodes that exist, from the first one on
		 */
		List<NodeData> holders(List<NodeData> read) {
			return IntStream.range(0, read.size()).filter((place) -> {
				NodeData data = read.get(place);
				return data.node().mode() != LockMode.PERMITS || place + this.cooldowns < data.permits();
			}).mapToObj(read::get).toList();
		}

	}

	/**
	 * The data of a node in the queue.
	 *
	 * @param node the node
	 * @param span the number of its tokens
	 * @param permits the permits of its request, or zero
	 * @param instanceId the client that created it
	 * @param content the data and the state of the node
	 */
	record NodeData(QueueNode node, int span, int permits, String instanceId, Content content) {

		static NodeData of(QueueNode node, Content content) {
			String[] lines = content.text().split("\n", 2);
			String[] numbers = lines[0].matches("\\d{1,4}( \\d{1,10})?") ? lines[0].split(" ") : new String[] { "1" };
			return new NodeData(node, Integer.parseInt(numbers[0]),
					(numbers.length > 1) ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(numbers[1])) : 0,
					(lines.length > 1) ? lines[1] : "?", content);
		}

	}

}
