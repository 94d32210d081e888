package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;

/**
 * Removes the holders of one lock.
 * <p>
 * All holders that were listed go in the transaction that begins the cooldown. Members
 * that entered after the listing did not see the cooldown, so they may have the lock too.
 * They are removed in a second transaction with a cooldown of its own. No others follow,
 * since clients that enter later see a cooldown.
 *
 * @param session sends the requests
 * @param lockPath the node of the lock
 * @param cooldown how long the lock stays unavailable; if zero, members that enter during
 * the removal are left alone
 * @param expiring the cooldowns that this client has begun
 * @param holders determines the holders again
 */
record ForcedRemoval(ZooKeeperSession session, String lockPath, Duration cooldown, ExpiringNodes expiring,
		Supplier<CompletableFuture<List<QueueNode>>> holders) {

	/**
	 * Remove holders.
	 * @param nodes their nodes
	 * @return whether there were any
	 */
	CompletableFuture<Boolean> remove(List<QueueNode> nodes) {
		if (nodes.isEmpty()) {
			return CompletableFuture.completedFuture(false);
		}
		LockMode mode = nodes.get(0).mode();
		CooldownNode begun = cooldownInPlaceOf(nodes);
		CompletableFuture<Boolean> removed = remove(nodes, begun);
		if (mode == LockMode.EXCLUSIVE) {
			return removed;
		}
		if (this.cooldown.isZero()) {
			return removed.thenCompose((done) -> done ? removed : removeNewest());
		}
		// In the same flush, so that the cooldown is not over yet.
		CompletableFuture<QueueListing> listed = list();
		CompletableFuture<Long> began = transactionOf(begun.name());
		return removed.thenCompose((done) -> done
				? listed.thenCombine(began, (listing, transaction) -> membersBefore(transaction, mode, listing))
					.thenCompose((members) -> members)
					.thenCompose(this::removeOthers)
				: removeNewest());
	}

	/**
	 * Begin with one member, because another one has left the group meanwhile. In a busy
	 * group this would happen again and again. The newest one is most likely to stay.
	 */
	private CompletableFuture<Boolean> removeNewest() {
		return this.holders.get()
			.thenCompose((left) -> remove(left.subList(Math.max(0, left.size() - 1), left.size())));
	}

	private CompletableFuture<Boolean> removeOthers(List<QueueNode> members) {
		if (members.isEmpty()) {
			return CompletableFuture.completedFuture(true);
		}
		return remove(members, cooldownInPlaceOf(members))
			.thenCompose((done) -> done ? CompletableFuture.completedFuture(true) : list().thenCompose((
					listing) -> removeOthers(members.stream().filter(Set.copyOf(listing.queue())::contains).toList())));
	}

	/**
	 * Remove nodes and begin a cooldown in their place, in one transaction.
	 * @return {@code false} if one of them was gone, so that nothing was done
	 */
	private CompletableFuture<Boolean> remove(List<QueueNode> nodes, CooldownNode begun) {
		ZooKeeperRequests requests = this.session.requests();
		List<Op> all = new ArrayList<>();
		nodes.forEach((node) -> all.add(Op.delete(path(node.name()), -1)));
		if (!this.cooldown.isZero()) {
			all.add(requests.opToCreate(path(begun.name()), CreateMode.PERSISTENT));
		}
		CompletableFuture<String> gone = (all.size() > 1) ? requests.multi(all)
				: requests.delete(path(nodes.get(0).name()));
		return ZooKeeperFaults.orElse(gone.whenComplete((done, fault) -> {
			if (!this.cooldown.isZero() && (fault == null || !ZooKeeperFaults.isNoNode(fault))) {
				this.expiring.add(path(begun.name()), path(begun.name()), begun.length().plusSeconds(1));
			}
		}).thenApply((done) -> {
			nodes.forEach((node) -> this.session.entries().lose(node.id()));
			return true;
		}), false);
	}

	/**
	 * Return a cooldown that excludes every client, also members of the former group.
	 */
	private CooldownNode cooldownInPlaceOf(List<QueueNode> nodes) {
		return CooldownNode.of(this.cooldown, PlaceIds.of(LockMode.EXCLUSIVE, nodes.get(0).id()));
	}

	/**
	 * Return the members of a group that entered the queue before a transaction.
	 */
	private CompletableFuture<List<QueueNode>> membersBefore(long transaction, LockMode mode, QueueListing listing) {
		return ManyAnswers
			.join(listing.head()
				.stream()
				.filter((node) -> node.mode() == mode)
				.map((node) -> transactionOf(node.name())
					.thenApply((made) -> Optional.of(node).filter((one) -> made < transaction))))
			.thenApply((earlier) -> earlier.stream().flatMap(Optional::stream).toList());
	}

	/**
	 * Return the transaction that created a node, or the greatest number if the node is
	 * gone.
	 */
	private CompletableFuture<Long> transactionOf(String name) {
		return ZooKeeperFaults.orElse(this.session.requests().exists(path(name)).thenApply((stat) -> stat.getCzxid()),
				Long.MAX_VALUE);
	}

	private CompletableFuture<QueueListing> list() {
		return ZooKeeperFaults.orElse(this.session.requests().getChildren(this.lockPath), List.of())
			.thenApply(QueueListing::of);
	}

	private String path(String name) {
		return this.lockPath + "/" + name;
	}

}
