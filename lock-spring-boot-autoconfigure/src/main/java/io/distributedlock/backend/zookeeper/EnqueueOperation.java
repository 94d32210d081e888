package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.zookeeper.ZooKeeperRequests.Created;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Enters the queue for a lock. It creates a node and lists the queue in one flush, and
 * creates the container first if that is not known to exist. The listing is answered
 * after the node was created on that server, so it shows every earlier node that still
 * exists.
 * <p>
 * The queues for several keys are entered by one transaction. So in each queue that two
 * requests have in common, the same one of them is first.
 * <p>
 * If the answer is lost, the node is looked up by id and session, and created again if it
 * is missing. If the attempt ends before the node is found, {@link UnconfirmedCreates}
 * continues.
 *
 * @param support the parts of the connection that it needs
 * @param lockPaths the nodes of the locks
 * @param id the id of the nodes
 * @param request the request
 * @param wakeUp wakes the contender that waits with the node
 * @param until completed when no attempt waits for the node any longer
 */
record EnqueueOperation(Support support, List<String> lockPaths, OwnerId id, LeaseRequest request, Runnable wakeUp,
		CompletableFuture<?> until) {

	CompletableFuture<Enqueued> enter() {
		return this.support.sessions.connected(this.until).thenCompose((session) -> flush(session, Parents.AS_NEEDED));
	}

	private CompletableFuture<Enqueued> flush(ZooKeeperSession session, Parents parents) {
		ZooKeeperRequests requests = session.requests();
		CompletableFuture<?> parent = create(parents, requests);
		CompletableFuture<OwnQueueNode> made = create(session);
		CompletableFuture<List<QueueListing>> queues = list(requests);
		return made.thenCompose((node) -> {
			this.lockPaths.forEach(this.support.containers::add);
			return queues.handle((listed, failure) -> new Enqueued(node, (failure != null) ? null : listed));
		}).exceptionallyCompose((fault) -> recover(session, parents, parent, CompletionCauses.unwrap(fault)));
	}

	private CompletableFuture<OwnQueueNode> create(ZooKeeperSession session) {
		byte[] data = OwnQueueNode.data(this.request.span(), this.request.permits(), this.support.instanceId);
		List<String> paths = this.lockPaths.stream()
			.map((path) -> path + "/" + QueueNode.prefix(this.id, session.id()))
			.toList();
		CompletableFuture<List<Created>> made = (paths.size() == 1)
				? session.requests().create(paths.get(0), data, CreateMode.EPHEMERAL_SEQUENTIAL).thenApply(List::of)
				: session.requests().createAll(paths, data, CreateMode.EPHEMERAL_SEQUENTIAL, this.lockPaths.get(0));
		return made.thenApply((all) -> OwnQueueNode
			.ofAll(all.stream().map((created) -> node(session, created.path(), created.stat())).toList()));
	}

	private CompletableFuture<List<QueueListing>> list(ZooKeeperRequests requests) {
		List<CompletableFuture<List<String>>> queues = this.lockPaths.stream().map(requests::getChildren).toList();
		return ManyAnswers.join(queues.stream().map((names) -> names.thenApply(QueueListing::of)));
	}

	private CompletableFuture<?> create(Parents parents, ZooKeeperRequests requests) {
		// All are sent at once, the root first.
		CompletableFuture<?> root = (parents == Parents.ALL)
				? this.support.containers.createRoot(requests, this.support.sessions.connectString())
				: CompletableFuture.completedFuture(true);
		List<CompletableFuture<Created>> containers = this.lockPaths.stream()
			.filter((path) -> parents != Parents.AS_NEEDED || !this.support.containers.isKnown(path))
			.map((path) -> requests.create(path, CreateMode.CONTAINER))
			.toList();
		return root.thenCompose((made) -> ManyAnswers.join(containers.stream().map(EnqueueOperation::unlessCreated)));
	}

	private CompletableFuture<Enqueued> recover(ZooKeeperSession session, Parents parents, CompletableFuture<?> parent,
			Throwable fault) {
		if (ZooKeeperFaults.isConnectionLoss(fault)) {
			this.support.creates.add(session, this.lockPaths, this.id);
			if (this.until.isDone()) {
				this.support.creates.check(this.id);
				return CompletableFuture.failedFuture(fault);
			}
			return this.support.sessions.connected(this.until).thenCompose(this::find);
		}
		if (this.until.isDone()) {
			return CompletableFuture.failedFuture(fault);
		}
		if (ZooKeeperFaults.isSessionEnd(fault)) {
			session.end();
			return enter();
		}
		if (ZooKeeperFaults.isNoNode(fault)) {
			// A container was reaped, or there is no root yet.
			boolean known = this.lockPaths.stream().anyMatch(this.support.containers::isKnown);
			this.lockPaths.forEach(this.support.containers::forget);
			return parent.thenCompose((again) -> flush(session,
					(parents == Parents.AS_NEEDED && known) ? Parents.CONTAINERS : Parents.ALL));
		}
		return CompletableFuture.failedFuture(fault);
	}

	private CompletableFuture<Enqueued> recover(ZooKeeperSession session, Throwable fault) {
		return recover(session, Parents.ALL, CompletableFuture.completedFuture(true), CompletionCauses.unwrap(fault));
	}

	/**
	 * Return a stage that fails if the container could not be created, unless it exists
	 * already or its root is missing.
	 */
	private static CompletableFuture<Boolean> unlessCreated(CompletableFuture<Created> container) {
		return container.thenApply((created) -> true)
			.exceptionallyCompose((fault) -> (ZooKeeperFaults.isNodeExists(fault) || ZooKeeperFaults.isNoNode(fault))
					? CompletableFuture.completedFuture(true)
					: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault)));
	}

	/**
	 * Look for nodes whose creation was not answered. The listing that was sent along
	 * with the creation is no proof, since it may show an earlier state.
	 */
	private CompletableFuture<Enqueued> find(ZooKeeperSession session) {
		session.requests().sync(this.lockPaths.get(0));
		return ManyAnswers
			.join(this.lockPaths.stream()
				.map((path) -> ZooKeeperFaults.orElse(session.requests().getChildren(path), List.of())))
			.handle((queues, fault) -> (fault != null) ? recover(session, fault) : adopt(session, queues))
			.thenCompose((entered) -> entered);
	}

	private CompletableFuture<Enqueued> enterUnlessOver() {
		return this.until.isDone() ? CompletableFuture.failedFuture(RepeatedRequests.noAnswer(this.request.timeout()))
				: enter();
	}

	private CompletableFuture<Enqueued> adopt(ZooKeeperSession session, List<List<String>> queues) {
		List<String> others = new ArrayList<>();
		List<String> mine = new ArrayList<>();
		for (int i = 0; i < queues.size(); i++) {
			for (QueueNode node : QueueListing.of(queues.get(i)).queue()) {
				if (node.id().equals(this.id)) {
					boolean first = node.session() == session.id() && mine.size() == i;
					(first ? mine : others).add(this.lockPaths.get(i) + "/" + node.name());
				}
			}
		}
		session.requests().deleteAll(others.stream());
		if (mine.size() < queues.size()) {
			// None was created, or one is gone.
			session.requests().deleteAll(mine.stream());
			return enterUnlessOver();
		}
		return ManyAnswers.join(mine.stream().map(session.requests()::exists)).handle((stats, fault) -> {
			if (fault != null) {
				return recover(session, fault);
			}
			long transaction = stats.get(0).getCzxid();
			if (stats.stream()
				.allMatch((stat) -> stat.getEphemeralOwner() == session.id() && stat.getCzxid() == transaction)) {
				return CompletableFuture.completedFuture(new Enqueued(
						OwnQueueNode.ofAll(mine.stream().map((path) -> node(session, path, stats.get(0))).toList()),
						null));
			}
			session.requests().deleteAll(mine.stream());
			return enterUnlessOver();
		}).thenCompose((entered) -> entered);
	}

	private OwnQueueNode node(ZooKeeperSession session, String path, Stat stat) {
		return OwnQueueNode.of(session, path, this.id, this.request.ownerId(), stat, this.support.clock.nanoTime(),
				this.wakeUp);
	}

	/**
	 * The parents that are created before the nodes.
	 */
	private enum Parents {

		AS_NEEDED, CONTAINERS, ALL

	}

	/**
	 * The parts of the connection that the operation needs.
	 *
	 * @param sessions the sessions
	 * @param containers the containers of locks
	 * @param creates the nodes whose creation is not confirmed
	 * @param instanceId identifies this JVM to administrators
	 * @param clock the time
	 */
	record Support(ZooKeeperSessions sessions, LockContainers containers, UnconfirmedCreates creates, String instanceId,
			LockClock clock) {
	}

	/**
	 * The nodes in the queues.
	 *
	 * @param node the node that stands for all
	 * @param queues the queues after that, or {@code null} if they are not known
	 */
	record Enqueued(OwnQueueNode node, @Nullable List<QueueListing> queues) {
	}

}
