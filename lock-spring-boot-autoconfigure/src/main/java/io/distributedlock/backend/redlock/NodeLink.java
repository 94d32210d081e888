package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redlock.NodeSnapshot.Phase;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.NodeStatus;

/**
 * Connects to one node and tracks its state. The node is connected and inspected; then it
 * votes, is in quarantine or is refused. When the connection ends, it is connected again.
 */
final class NodeLink {

	private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * Locks can be granted that much later than a majority of the nodes has returned.
	 */
	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * A node that refuses this client is not asked more often, because its administrator
	 * has to change it first.
	 */
	private static final long LONGEST_RETRY_OF_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * A node with more unanswered calls than this is not asked for votes, which would
	 * only add to its backlog.
	 */
	private static final int MOST_UNANSWERED = 1_000;

	private final RedlockNode node;

	private final int index;

	private final NodeGroup nodes;

	private final NodeInspection inspection;

	private final NodeClock clock = new NodeClock();

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicInteger jumps = new AtomicInteger();

	// Written under the monitor; read by every round.
	private volatile NodeSnapshot snapshot = NodeSnapshot.of(Phase.DOWN, "not connected yet");

	// Set when an answer shows that the clock jumped, until the jump is judged.
	private volatile boolean suspect;

	// Another node that is the same server, until this one can be used or can't be
	// connected.
	private volatile @Nullable NodeLink sameServer;

	// Why it is refused as a whole, until it can be used or fails to connect for another
	// reason.
	private volatile @Nullable NodeRefusedException refusal;

	// The refusals that were reported, so that each is reported once.
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	// Watches the present session. Written when a connection is opened, read by each
	// call.
	private volatile @Nullable SessionWatch watch;

	// All below is guarded by the monitor. Sessions and listeners are called outside of
	// it.
	private boolean closed;

	private boolean inspecting;

	private boolean inspectAgain;

	private int failures;

	private @Nullable Phase announced;

	private LockClock.@Nullable Timeout timer;

	NodeLink(RedlockNode node, int index, NodeGroup nodes) {
		this.node = node;
		this.index = index;
		this.nodes = nodes;
		this.inspection = new NodeInspection(this, nodes);
	}

	String name() {
		return this.node.name();
	}

	int index() {
		return this.index;
	}

	RedlockNode node() {
		return this.node;
	}

	/**
	 * Return what this client knows of the node.
	 */
	NodeStatus status() {
		NodeSnapshot current = snapshot();
		return switch (current.phase()) {
			case VOTING -> new NodeStatus(name(), NodeStatus.State.UP, null);
			case QUARANTINED -> new NodeStatus(name(), NodeStatus.State.QUARANTINED, quarantineLeft(current));
			case REFUSED -> new NodeStatus(name(), NodeStatus.State.REFUSED, null);
			case DOWN, CONNECTING, INSPECTING -> new NodeStatus(name(), NodeStatus.State.DOWN, null);
		};
	}

	NodeSnapshot snapshot() {
		return this.snapshot;
	}

	/**
	 * Return whether an earlier connection to the node has failed or ended, or this link
	 * is closed.
	 */
	synchronized boolean wasKnown() {
		return this.failures > 0 || this.closed;
	}

	/**
	 * Return whether the node may be asked for its vote.
	 */
	boolean isVoting() {
		return this.snapshot.phase() == Phase.VOTING && !this.suspect && this.unanswered.get() <= MOST_UNANSWERED;
	}

	/**
	 * Return how often the clock has jumped.
	 */
	int jumps() {
		return this.jumps.get();
	}

	/**
	 * Return whether an answer counts. It does only if the clock is not suspect and has
	 * not jumped since the request was sent. A jump that has been settled by now counts
	 * too.
	 * @param jumpsBefore {@link #jumps()} from before the request was sent
	 */
	boolean isTrusted(int jumpsBefore) {
		return !this.suspect && this.jumps.get() == jumpsBefore;
	}

	NodeInspection inspection() {
		return this.inspection;
	}

	NodeClock clock() {
		return this.clock;
	}

	/**
	 * Return why the node can't be used until the administrator changes it, or empty if
	 * it is not refused.
	 */
	Optional<NodeRefusedException> refusal() {
		return Optional.ofNullable(this.refusal);
	}

	/**
	 * Report a command that the node refuses, unless it has been reported.
	 * @param fault the fault of a call, or {@code null} if it has succeeded
	 */
	void report(@Nullable Throwable fault) {
		if (fault != null && CompletionCauses.unwrap(fault) instanceof NodeRefusedException refused
				&& this.reported.add(withoutAnswer(String.valueOf(refused.getMessage())))) {
			this.nodes.report(this, Change.COMMAND_REFUSED, refused.getMessage());
		}
	}

	/**
	 * Return what is refused. The answer of the node, in brackets, also names the script
	 * and its line, and several scripts have the same command.
	 */
	private static String withoutAnswer(String refusal) {
		int answer = refusal.indexOf(" (");
		return (answer >= 0) ? refusal.substring(0, answer) : refusal;
	}

	/**
	 * Create the exception for a call to a node without a connection.
	 */
	LockUnavailableException unreachable() {
		return new LockUnavailableException("There is no connection to " + name());
	}

	/**
	 * Return the node that is the same server under another address, if there is one.
	 */
	Optional<NodeLink> sameServer() {
		return Optional.ofNullable(this.sameServer);
	}

	/**
	 * Record that another node is the same server.
	 */
	void markSameServer(NodeLink other) {
		this.sameServer = other;
	}

	/**
	 * Make a call on a session of this node, and read the node's clock from the answer.
	 */
	<T> CompletionStage<NodeAnswer<T>> ask(NodeSession session,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call) {
		long sentAt = this.nodes.clock().nanoTime();
		this.unanswered.incrementAndGet();
		SessionWatch current = this.watch;
		SessionWatch watching = (current != null && current.session() == session) ? current : null;
		if (watching != null) {
			watching.callBegun();
		}
		return call(session, call).whenComplete((answered, fault) -> {
			this.unanswered.decrementAndGet();
			if (watching != null) {
				watching.callEnded();
			}
			report(fault);
			if (answered != null) {
				this.clock.read(answered.micros(), sentAt, this.nodes.clock().nanoTime()).ifPresent((jump) -> {
					this.suspect = true;
					this.jumps.incrementAndGet();
					this.nodes.clockJumps().jumped(this, jump);
				});
			}
		});
	}

	private static <T> CompletionStage<NodeAnswer<T>> call(NodeSession session,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call) {
		try {
			return call.apply(session);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/**
	 * Make a read-only call, so that a silent connection is detected and replaced.
	 */
	void probe() {
		NodeSession session = this.snapshot.session();
		if (session != null) {
			var unused = ask(session, NodeSession::state);
		}
	}

	void open() {
		synchronized (this) {
			if (this.closed || this.snapshot.phase() != Phase.DOWN && this.snapshot.phase() != Phase.REFUSED) {
				return;
			}
			this.snapshot = NodeSnapshot.of(Phase.CONNECTING, "connecting");
		}
		CompletableFuture.completedFuture(this.node)
			.thenCompose(RedlockNode::connect)
			.whenComplete((session, fault) -> {
				if (session != null) {
					connected(session);
				}
				else {
					notConnected(fault);
				}
			});
	}

	private void connected(NodeSession session) {
		boolean unwanted;
		synchronized (this) {
			unwanted = this.closed;
			if (!unwanted) {
				this.snapshot = new NodeSnapshot(Phase.INSPECTING, session, null, "", 0, "its state is read");
				this.inspecting = true;
				this.inspectAgain = false;
			}
		}
		if (unwanted) {
			session.close();
			return;
		}
		this.watch = new SessionWatch(session, this.nodes.clock(),
				SessionWatch.patience(this.nodes.settings().callTimeout()),
				(silence) -> giveUp(session, "it has not answered for " + silence.toMillis() + " ms"));
		session.onRefusal(this::report);
		session.onEnd(() -> ended(session, "the connection has ended"));
		this.inspection.readState(session, session.identity());
	}

	private void notConnected(Throwable fault) {
		Throwable cause = CompletionCauses.unwrap(fault);
		NodeRefusedException refused = (cause instanceof NodeRefusedException why) ? why : null;
		this.refusal = refused;
		if (leave(null, (refused != null) ? Phase.REFUSED : Phase.DOWN, cause.getMessage())) {
			this.sameServer = null;
			announce();
			retry();
		}
	}

	/**
	 * Handle the end of the connection. Calls under way count as unanswered.
	 */
	private void ended(NodeSession session, String why) {
		if (leave(session, Phase.DOWN, why)) {
			this.suspect = false;
			this.nodes.servers().forget(this);
			announce();
			retry();
		}
	}

	/**
	 * Stop using a connection.
	 * @param session the connection, or {@code null} if it could not be opened
	 * @return {@code false} if another one is in use or this link is closed
	 */
	private synchronized boolean leave(@Nullable NodeSession session, Phase phase, @Nullable String why) {
		if (this.closed || this.snapshot.session() != session) {
			return false;
		}
		this.inspecting = false;
		this.failures++;
		this.snapshot = NodeSnapshot.of(phase, String.valueOf(why));
		return true;
	}

	private void retry() {
		int step;
		boolean refused;
		synchronized (this) {
			step = Math.max(0, Math.min(this.failures - 1, 6));
			refused = this.snapshot.phase() == Phase.REFUSED;
		}
		long longest = refused ? LONGEST_RETRY_OF_REFUSED_NANOS : LONGEST_RETRY_NANOS;
		long pause = Math.min(FIRST_RETRY_NANOS << step, longest);
		// Jitter keeps clients that lost a node together from reconnecting together.
		schedule(Duration.ofNanos(pause / 2 + this.nodes.random().below(pause / 2)), this::open);
	}

	/**
	 * Inspect the node again. If an inspection is under way, another one follows it.
	 */
	void inspect() {
		NodeSession session;
		synchronized (this) {
			session = this.snapshot.session();
			if (session == null) {
				return;
			}
			if (this.inspecting) {
				this.inspectAgain = true;
				return;
			}
			this.inspecting = true;
		}
		this.inspection.identify(session);
	}

	void giveUp(NodeSession session, String reason) {
		ended(session, reason);
		session.close();
	}

	/**
	 * Accept a state that was written with this client's settings.
	 */
	void settle(NodeSession session, NodeState state) {
		boolean again;
		boolean news;
		synchronized (this) {
			if (this.snapshot.session() != session) {
				return;
			}
			NodeSnapshot before = this.snapshot;
			news = !state.equals(before.state());
			if (news) {
				this.snapshot = NodeSnapshot.of(session, state, this.nodes.clock().nanoTime());
			}
			this.inspecting = false;
			this.failures = 0;
			again = this.inspectAgain;
			this.inspectAgain = false;
		}
		this.sameServer = null;
		this.refusal = null;
		if (news) {
			this.suspect = false;
			announce();
		}
		if (again) {
			inspect();
		}
		else {
			this.inspection.scheduleNext();
		}
	}

	/**
	 * Return for how much longer this client has to see this very quarantine before it
	 * may end it.
	 */
	Duration quarantineLeft(NodeSnapshot current) {
		long over = current.since() + this.nodes.settings().quarantine().toNanos();
		return Duration.ofNanos(Math.max(0, over - this.nodes.clock().nanoTime()));
	}

	/**
	 * Trust the clock again, because its jump has been judged.
	 */
	void trust() {
		this.suspect = false;
	}

	void refuse(NodeSession session, String reason) {
		refuse(session, new NodeRefusedException(reason, null));
	}

	void refuse(NodeSession session, NodeRefusedException reason) {
		if (leave(session, Phase.REFUSED, reason.getMessage())) {
			this.refusal = reason;
			this.nodes.servers().forget(this);
			session.close();
			announce();
			retry();
		}
	}

	private void announce() {
		NodeSnapshot current = this.snapshot;
		boolean news;
		synchronized (this) {
			news = this.announced != current.phase() || current.phase() == Phase.QUARANTINED;
			this.announced = current.phase();
		}
		this.nodes.changed(this, current, news);
	}

	synchronized void schedule(Duration delay, Runnable task) {
		if (this.timer != null) {
			this.timer.cancel();
		}
		this.timer = this.closed ? null : this.nodes.clock().schedule(delay, task);
	}

	void close() {
		NodeSession session;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			session = this.snapshot.session();
			this.snapshot = NodeSnapshot.of(Phase.DOWN, "the locks were stopped");
			if (this.timer != null) {
				this.timer.cancel();
			}
		}
		if (session != null) {
			session.close();
		}
		this.node.close();
	}

}
