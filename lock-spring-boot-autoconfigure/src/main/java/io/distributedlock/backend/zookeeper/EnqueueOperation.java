package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

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
 * If the answer is lost, the node is looked up by id and session, and created again if it
 * is missing. If the attempt ends before the node is found, {@link UnconfirmedCreates}
 * continues.
 *
 * @param support the parts of the connection that it needs
 * @param lockPath the node of the lock
 * @param id the id of the node
 * @param request the request
 * @param wakeUp wakes the contender that waits with the node
 * @param until completed when no attempt waits for the node any longer
 */
record EnqueueOperation(Support support, String lockPath, OwnerId id, LeaseRequest request, Runnable wakeUp,
		CompletableFuture<?> until) {

	CompletableFuture<Enqueued> enter() {
		return this.support.sessions.connected(this.until)
			.thenCompose((session) -> flush(session,
					this.support.containers.isKnown(this.lockPath) ? Parents.KNOWN : Parents.CONTAINER));
	}

	private CompletableFuture<Enqueued> flush(ZooKeeperSession session, Parents parents) {
		ZooKeeperRequests requests = session.requests();
		CompletableFuture<?> parent = create(parents, requests);
		String path = this.lockPath + "/" + QueueNode.prefix(this.id, session.id());
		CompletableFuture<Created> made = requests.create(path,
				OwnQueueNode.data(this.request.span(), this.request.permits(), this.support.instanceId),
				CreateMode.EPHEMERAL_SEQUENTIAL);
		CompletableFuture<List<String>> names = requests.getChildren(this.lockPath);
		return made.thenCompose((created) -> {
			this.support.containers.add(this.lockPath);
			OwnQueueNode node = node(session, created.path(), created.stat());
			return names.handle((listed, failure) -> new Enqueued(node, (failure != null) ? null : listed));
		}).exceptionallyCompose((fault) -> recover(session, parents, parent, CompletionCauses.unwrap(fault)));
	}

	private CompletableFuture<?> create(Parents parents, ZooKeeperRequests requests) {
		if (parents == Parents.KNOWN) {
			return CompletableFuture.completedFuture(true);
		}
		// Both are sent at once, the root first.
		CompletableFuture<?> root = (parents == Parents.ALL)
				? this.support.containers.createRoot(requests, this.support.sessions.connectString())
				: CompletableFuture.completedFuture(true);
		CompletableFuture<?> container = requests.create(this.lockPath, CreateMode.CONTAINER);
		return root.thenCompose((made) -> container);
	}

	private CompletableFuture<Enqueued> recover(ZooKeeperSession session, Parents parents, CompletableFuture<?> parent,
			Throwable fault) {
		if (ZooKeeperFaults.isConnectionLoss(fault)) {
			this.support.creates.add(session, this.lockPath, this.id);
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
			// The container was reaped, or there is no root yet.
			this.support.containers.forget(this.lockPath);
			return again(parent)
				.thenCompose((again) -> flush(session, (parents == Parents.KNOWN) ? Parents.CONTAINER : Parents.ALL));
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
	private static <T> CompletableFuture<T> again(CompletableFuture<T> parent) {
		return parent
			.exceptionallyCompose((fault) -> (ZooKeeperFaults.isNodeExists(fault) || ZooKeeperFaults.isNoNode(fault))
					? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(CompletionCauses.unwrap(fault)));
	}

	/**
	 * Look for a node whose creation was not answered. The listing that was sent along
	 * with the creation is no proof, since it may show an earlier state.
	 */
	private CompletableFuture<Enqueued> find(ZooKeeperSession session) {
		session.requests().sync(this.lockPath);
		return session.requests().getChildren(this.lockPath).handle((names, fault) -> {
			if (fault == null) {
				return adopt(session, QueueListing.of(names));
			}
			return ZooKeeperFaults.isNoNode(fault) ? enterUnlessOver() : recover(session, fault);
		}).thenCompose((entered) -> entered);
	}

	private CompletableFuture<Enqueued> enterUnlessOver() {
		return this.until.isDone() ? CompletableFuture.failedFuture(RepeatedRequests.noAnswer(this.request.timeout()))
				: enter();
	}

	private CompletableFuture<Enqueued> adopt(ZooKeeperSession session, QueueListing listing) {
		List<QueueNode> own = listing.queue().stream().filter((node) -> node.id().equals(this.id)).toList();
		QueueNode mine = own.stream().filter((node) -> node.session() == session.id()).findFirst().orElse(null);
		session.requests()
			.deleteAll(own.stream().filter((node) -> node != mine).map((node) -> this.lockPath + "/" + node.name()));
		if (mine == null) {
			return enterUnlessOver();
		}
		String path = this.lockPath + "/" + mine.name();
		return session.requests().exists(path).handle((stat, fault) -> {
			if (fault == null && stat.getEphemeralOwner() == session.id()) {
				return CompletableFuture.completedFuture(new Enqueued(node(session, path, stat), null));
			}
			return (fault != null) ? recover(session, fault) : enterUnlessOver();
		}).thenCompose((entered) -> entered);
	}

	private OwnQueueNode node(ZooKeeperSession session, String path, Stat stat) {
		return OwnQueueNode.of(session, path, this.id, this.request.ownerId(), stat, this.support.clock.nanoTime(),
				this.wakeUp);
	}

	/**
	 * The parents that are created before the node.
	 */
	private enum Parents {

		KNOWN, CONTAINER, ALL

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
	 * A node in the queue.
	 *
	 * @param node the node
	 * @param names the queue at that time, or {@code null} if it is not known
	 */
	record Enqueued(OwnQueueNode node, @Nullable List<String> names) {
	}

}
