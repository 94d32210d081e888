package io.distributedlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.zookeeper.Requests.Created;
import io.distributedlock.spi.LeaseRequest;

/**
 * Enters the line for a lock: makes a node and lists the line in one flush, with the
 * container before them where it is not known to be there. The listing is answered after
 * the node was made on that server, so that it shows all places before it but those that
 * are gone.
 * <p>
 * Where the answer got lost the node is looked for by owner id and session, and made anew
 * if it is not there. If the attempt ends before it is found, {@link Doubts} go on.
 */
final class Entry {

	private final Operation operation;

	private final String lockPath;

	private final LeaseRequest request;

	private final CompletableFuture<?> until;

	/**
	 * Create an entry.
	 * @param until done when nobody waits for the entry any more
	 */
	Entry(Operation operation, String lockPath, LeaseRequest request, CompletableFuture<?> until) {
		this.operation = operation;
		this.lockPath = lockPath;
		this.request = request;
		this.until = until;
	}

	CompletableFuture<Entered> enter() {
		return this.operation.sessions()
			.connected(this.until)
			.thenCompose((session) -> flush(session,
					this.operation.containers().isKnown(this.lockPath) ? Parents.KNOWN : Parents.CONTAINER));
	}

	private CompletableFuture<Entered> flush(Session session, Parents parents) {
		Requests requests = session.requests();
		CompletableFuture<?> parent = parents.create(this.operation, this.lockPath, requests);
		String path = this.lockPath + "/" + LineNode.prefix(this.request.ownerId(), session.id());
		CompletableFuture<Created> made = requests.create(path,
				Place.data(this.request.span(), this.operation.settings().instanceId()),
				CreateMode.EPHEMERAL_SEQUENTIAL);
		CompletableFuture<List<String>> names = requests.getChildren(this.lockPath);
		return made.handle((created, fault) -> {
			if (fault != null) {
				return recover(session, parents, parent, Faults.cause(fault));
			}
			this.operation.containers().add(this.lockPath);
			Place place = place(session, created.path(), created.stat());
			return names.handle((listed, failure) -> new Entered(place, (failure != null) ? null : listed));
		}).thenCompose((entered) -> entered);
	}

	private CompletableFuture<Entered> recover(Session session, Parents parents, CompletableFuture<?> parent,
			Throwable fault) {
		if (this.until.isDone() && !Faults.isConnectionLoss(fault)) {
			return CompletableFuture.failedFuture(fault);
		}
		if (Faults.isConnectionLoss(fault)) {
			this.operation.doubts().add(session, this.lockPath, this.request.ownerId());
			if (this.until.isDone()) {
				this.operation.doubts().check(this.request.ownerId());
				return CompletableFuture.failedFuture(fault);
			}
			return this.operation.sessions().connected(this.until).thenCompose(this::find);
		}
		if (Faults.isSessionEnd(fault)) {
			session.end();
			return enter();
		}
		if (Faults.isNoNode(fault)) {
			// The container was reaped, or there is no root yet.
			this.operation.containers().forget(this.lockPath);
			return again(parent)
				.thenCompose((again) -> flush(session, (parents == Parents.KNOWN) ? Parents.CONTAINER : Parents.ALL));
		}
		return CompletableFuture.failedFuture(fault);
	}

	/**
	 * Return what fails with the reason why the container could not be made, if it is
	 * another one than a missing root.
	 */
	private static CompletableFuture<Boolean> again(CompletableFuture<?> parent) {
		return parent.handle((made, failure) -> {
			boolean usual = failure == null || Faults.isNodeExists(failure) || Faults.isNoNode(failure);
			return usual ? CompletableFuture.completedFuture(true)
					: CompletableFuture.<Boolean>failedFuture(Faults.cause(failure));
		}).thenCompose((again) -> again);
	}

	/**
	 * Look for a node whose making was not answered. The answer to the listing that went
	 * with it proves nothing: it may come from before.
	 */
	private CompletableFuture<Entered> find(Session session) {
		session.requests().sync(this.lockPath);
		return session.requests().getChildren(this.lockPath).handle((names, fault) -> {
			if (fault == null) {
				return adopt(session, LockListing.of(names));
			}
			return Faults.isNoNode(fault) ? enterUnlessOver()
					: recover(session, Parents.ALL, CompletableFuture.completedFuture(true), Faults.cause(fault));
		}).thenCompose((entered) -> entered);
	}

	private CompletableFuture<Entered> enterUnlessOver() {
		return this.until.isDone() ? CompletableFuture.failedFuture(Calls.noAnswer(this.request.timeout())) : enter();
	}

	private CompletableFuture<Entered> adopt(Session session, LockListing listing) {
		LineNode mine = null;
		for (LineNode node : listing.line()) {
			if (node.ownerId().equals(this.request.ownerId())) {
				if (mine == null && node.session() == session.id()) {
					mine = node;
				}
				else {
					session.requests().delete(this.lockPath + "/" + node.name());
				}
			}
		}
		if (mine == null) {
			return enterUnlessOver();
		}
		String path = this.lockPath + "/" + mine.name();
		return session.requests().exists(path).handle((stat, fault) -> {
			if (fault == null && stat.getEphemeralOwner() == session.id()) {
				return CompletableFuture.completedFuture(new Entered(place(session, path, stat), null));
			}
			return (fault != null)
					? recover(session, Parents.ALL, CompletableFuture.completedFuture(true), Faults.cause(fault))
					: enterUnlessOver();
		}).thenCompose((entered) -> entered);
	}

	private Place place(Session session, String path, Stat stat) {
		return Place.of(session, path, this.request.ownerId(), stat, this.operation.clock().nanoTime());
	}

	/**
	 * Remove nodes of the same owner id beside the one that is used.
	 */
	void removeOthersOf(Place place, LockListing listing) {
		for (LineNode node : listing.line()) {
			if (node.ownerId().equals(place.ownerId()) && !node.name().equals(place.name())) {
				place.session().requests().delete(this.lockPath + "/" + node.name());
			}
		}
	}

	/**
	 * What is made before the node.
	 */
	private enum Parents {

		KNOWN, CONTAINER, ALL;

		CompletableFuture<?> create(Operation operation, String lockPath, Requests requests) {
			if (this == KNOWN) {
				return CompletableFuture.completedFuture(true);
			}
			CompletableFuture<?> above = (this == ALL) ? createRoot(operation, requests)
					: CompletableFuture.completedFuture(true);
			CompletableFuture<?> container = requests.create(lockPath, CreateMode.CONTAINER);
			return above.thenCompose((made) -> container);
		}

		/**
		 * Create the root, whose container is to follow at once.
		 * @return fails if the server refuses it, so that it makes no sense to go on
		 */
		private static CompletableFuture<?> createRoot(Operation operation, Requests requests) {
			CompletableFuture<?> made = CompletableFuture.completedFuture(true);
			for (String path : operation.paths().rootAndAbove()) {
				boolean top = path.lastIndexOf('/') == 0;
				CompletableFuture<?> one = requests.create(path, CreateMode.PERSISTENT)
					.handle((created, fault) -> (fault != null) ? Faults.cause(fault) : null)
					.thenCompose((fault) -> {
						if (fault != null && top && Faults.isNoNode(fault)) {
							return CompletableFuture.failedFuture(Faults.noChroot(operation.connectString()));
						}
						return (fault != null && Faults.isRefusal(fault)) ? CompletableFuture.failedFuture(fault)
								: CompletableFuture.completedFuture(true);
					});
				made = made.thenCombine(one, (before, after) -> true);
			}
			return made;
		}

	}

	/**
	 * A place in line.
	 *
	 * @param place the place
	 * @param names what the line was then, where it is known
	 */
	record Entered(Place place, @Nullable List<String> names) {
	}

}
