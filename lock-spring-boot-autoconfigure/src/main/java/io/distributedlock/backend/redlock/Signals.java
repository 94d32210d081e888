package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Tells waiters of releases, by a subscription at each node that is there while somebody
 * waits and for a minute after. A release is heard of from every node that had a mark;
 * the waiter is woken when a majority has told of it, or soon after the first did.
 */
final class Signals {

	private static final Duration IDLE = Duration.ofMinutes(1);

	private static final Duration RETRY = Duration.ofSeconds(1);

	/**
	 * How long other nodes are waited for after the first has told of a release: an
	 * attempt that meets it at some of them only would have to be repeated.
	 */
	private static final Duration TOGETHER = Duration.ofMillis(5);

	private final NodeGroup nodes;

	private final Duration patience;

	private final Map<String, Set<Place>> places = new ConcurrentHashMap<>();

	// All below is guarded by the monitor but for hearing, which attempts read.
	private final Ear[] ears;

	private boolean closed;

	private boolean used;

	private boolean idleScheduled;

	private boolean checkScheduled;

	// The nodes whose subscription has ended and is to come again.
	private final Set<Integer> lost = new HashSet<>();

	private volatile boolean hearing;

	private final @Nullable NodeRefusedException[] refusals;

	private final Set<CompletableFuture<Boolean>> asking = new HashSet<>();

	Signals(NodeGroup nodes) {
		this.nodes = nodes;
		this.ears = new Ear[nodes.size()];
		this.refusals = new NodeRefusedException[nodes.size()];
		this.patience = SessionWatch.patience(nodes.settings().callTimeout());
	}

	/**
	 * Return whether releases are heard of: whichever majority had the lock, one of its
	 * nodes at least is listened to.
	 */
	boolean isHearing() {
		return this.hearing;
	}

	/**
	 * Listen, and wait until releases are heard of.
	 * @param timeout how long at most
	 * @return {@code true} once they are; fails with a
	 * {@link io.distributedlock.LockRefusedException} if too many nodes do not let their
	 * user listen and publish
	 */
	CompletionStage<Boolean> hears(Duration timeout) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		synchronized (this) {
			this.asking.add(answer);
		}
		LockClock.Timeout end = this.nodes.clock().schedule(timeout, () -> answer.completeExceptionally(unheard()));
		answer.whenComplete((heard, fault) -> {
			end.cancel();
			synchronized (this) {
				this.asking.remove(answer);
			}
		});
		listen();
		answerAll();
		return answer;
	}

	private RuntimeException unheard() {
		NodeFaults faults = new NodeFaults();
		synchronized (this) {
			for (int i = 0; i < this.refusals.length; i++) {
				faults.add(i, this.refusals[i]);
			}
		}
		return this.nodes.unavailable("releases were to be heard of", faults);
	}

	private void answerAll() {
		List<CompletableFuture<Boolean>> all;
		boolean refused;
		synchronized (this) {
			long refusing = Arrays.stream(this.refusals).filter(Objects::nonNull).count();
			refused = refusing >= this.nodes.quorum();
			if (this.asking.isEmpty() || !this.hearing && !refused) {
				return;
			}
			all = List.copyOf(this.asking);
		}
		for (CompletableFuture<Boolean> each : all) {
			if (this.hearing) {
				each.complete(true);
			}
			else {
				each.completeExceptionally(unheard());
			}
		}
	}

	Place join(String key, Runnable wakeUp) {
		Place place = new Place(key, wakeUp);
		this.places.compute(key, (name, present) -> {
			Set<Place> all = (present != null) ? present : ConcurrentHashMap.newKeySet();
			all.add(place);
			return all;
		});
		return place;
	}

	/**
	 * Begin to listen to the nodes that are not listened to.
	 */
	void listen() {
		synchronized (this) {
			this.used = true;
			if (this.closed) {
				return;
			}
			if (!this.idleScheduled) {
				this.idleScheduled = true;
				this.nodes.clock().schedule(IDLE, this::closeIfIdle);
			}
			if (!this.checkScheduled) {
				this.checkScheduled = true;
				this.nodes.clock().schedule(this.patience.dividedBy(2), this::check);
			}
		}
		this.nodes.links().forEach((link) -> {
			Ear next = null;
			synchronized (this) {
				if (this.ears[link.index()] == null && link.snapshot().session() != null && !this.closed) {
					next = new Ear(link);
					this.ears[link.index()] = next;
				}
			}
			if (next != null) {
				next.open();
			}
		});
	}

	/**
	 * Find out whether the nodes can still be heard. A waiter sends nothing for seconds,
	 * so that nobody else would notice a connection that has fallen silent.
	 */
	private void check() {
		List<Ear> all = new ArrayList<>();
		synchronized (this) {
			for (Ear ear : this.ears) {
				if (ear != null) {
					all.add(ear);
				}
			}
			this.checkScheduled = !this.closed && !all.isEmpty();
			if (!this.checkScheduled) {
				return;
			}
		}
		this.nodes.clock().schedule(this.patience.dividedBy(2), this::check);
		all.forEach((ear) -> {
			ear.check();
			ear.link.probe();
		});
	}

	private void closeIfIdle() {
		Ear[] idle;
		synchronized (this) {
			this.idleScheduled = false;
			if (this.closed) {
				return;
			}
			if (!this.places.isEmpty() || this.used) {
				this.used = false;
				this.idleScheduled = true;
				this.nodes.clock().schedule(IDLE, this::closeIfIdle);
				return;
			}
			idle = this.ears.clone();
			Arrays.fill(this.ears, null);
			this.hearing = false;
		}
		close(idle);
	}

	private static void close(@Nullable Ear[] ears) {
		for (Ear ear : ears) {
			if (ear != null) {
				ear.close();
			}
		}
	}

	/**
	 * Take note of the subscriptions that there are now.
	 * @param regained whether one that was lost came again: what was told meanwhile was
	 * not heard
	 */
	private void changed(boolean regained) {
		boolean news;
		synchronized (this) {
			int heard = 0;
			for (Ear ear : this.ears) {
				if (ear != null && ear.subscription != null) {
					heard++;
				}
			}
			boolean enough = heard > this.nodes.size() - this.nodes.quorum();
			news = enough && (!this.hearing || regained);
			this.hearing = enough;
		}
		answerAll();
		if (news) {
			this.places.values().forEach((all) -> all.forEach(Place::wake));
		}
	}

	private void ended(Ear ear) {
		boolean heard;
		synchronized (this) {
			if (this.ears[ear.link.index()] != ear) {
				return;
			}
			this.ears[ear.link.index()] = null;
			heard = ear.subscription != null;
			if (heard) {
				this.lost.add(ear.link.index());
			}
		}
		changed(false);
		if (heard) {
			listenAgain();
		}
		this.nodes.clock().schedule(RETRY, this::listenAgain);
	}

	private void listenAgain() {
		if (!this.places.isEmpty()) {
			listen();
		}
	}

	private void told(String key, int node) {
		Set<Place> all = this.places.get(key);
		if (all != null) {
			all.forEach((place) -> place.told(node));
		}
	}

	void close() {
		Ear[] all;
		synchronized (this) {
			this.closed = true;
			all = this.ears.clone();
			Arrays.fill(this.ears, null);
			this.hearing = false;
		}
		close(all);
	}

	/**
	 * The subscription at one node.
	 */
	private final class Ear {

		private final NodeLink link;

		// All are guarded by the monitor of the signals.
		private RedlockNode.@Nullable Subscription subscription;

		private boolean over;

		private boolean checked;

		Ear(NodeLink link) {
			this.link = link;
		}

		void open() {
			this.link.node()
				.subscribe((key) -> told(key, this.link.index()), () -> ended(this))
				.whenComplete((confirmed, fault) -> {
					if (confirmed == null) {
						refused(fault);
						ended(this);
						return;
					}
					boolean late;
					boolean regained;
					synchronized (Signals.this) {
						late = this.over;
						this.subscription = confirmed;
						Signals.this.refusals[this.link.index()] = null;
						regained = !late && Signals.this.lost.remove(this.link.index());
					}
					if (late) {
						confirmed.close();
					}
					else {
						changed(regained);
					}
				});
		}

		private void refused(Throwable fault) {
			Throwable cause = (fault.getCause() != null) ? fault.getCause() : fault;
			NodeRefusedException refusal = (fault instanceof NodeRefusedException itself) ? itself
					: (cause instanceof NodeRefusedException inner) ? inner : null;
			synchronized (Signals.this) {
				Signals.this.refusals[this.link.index()] = refusal;
			}
			if (refusal != null) {
				this.link.report(refusal);
			}
		}

		/**
		 * End where the node gives no sign of life.
		 */
		void check() {
			RedlockNode.Subscription current;
			synchronized (Signals.this) {
				current = this.subscription;
				if (current == null || this.checked) {
					return;
				}
				this.checked = true;
			}
			LockClock.Timeout timeout = Signals.this.nodes.clock().schedule(Signals.this.patience, this::silent);
			current.check().whenComplete((done, fault) -> {
				timeout.cancel();
				synchronized (Signals.this) {
					this.checked = false;
				}
				if (fault != null) {
					silent();
				}
			});
		}

		private void silent() {
			ended(this);
			close();
		}

		void close() {
			RedlockNode.Subscription current;
			synchronized (Signals.this) {
				this.over = true;
				current = this.subscription;
			}
			if (current != null) {
				current.close();
			}
		}

	}

	/**
	 * One waiter's place.
	 */
	final class Place {

		private final String key;

		private final Runnable wakeUp;

		// Both are guarded by the monitor: who has told of a release since the last
		// wake-up.
		private final Set<Integer> tellers = new HashSet<>();

		private LockClock.@Nullable Timeout soon;

		Place(String key, Runnable wakeUp) {
			this.key = key;
			this.wakeUp = wakeUp;
		}

		private void told(int node) {
			boolean enough;
			synchronized (this) {
				this.tellers.add(node);
				enough = this.tellers.size() >= Signals.this.nodes.quorum();
				if (!enough && this.soon == null) {
					this.soon = Signals.this.nodes.clock().schedule(TOGETHER, this::wake);
				}
			}
			if (enough) {
				wake();
			}
		}

		private void wake() {
			synchronized (this) {
				this.tellers.clear();
				if (this.soon != null) {
					this.soon.cancel();
					this.soon = null;
				}
			}
			this.wakeUp.run();
		}

		void leave() {
			Signals.this.places.computeIfPresent(this.key, (name, all) -> {
				all.remove(this);
				return all.isEmpty() ? null : all;
			});
			synchronized (this) {
				if (this.soon != null) {
					this.soon.cancel();
					this.soon = null;
				}
			}
		}

	}

}
