package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * What this client knows of one node, as a state machine: it connects, looks at who the
 * node is and what its state key says, and looks again now and then, when the connection
 * ends, and when a vote says that the state has changed.
 */
final class NodeLink {

	/**
	 * How often a node that votes is looked at. Each vote compares its state; what this
	 * finds is a node that was made a replica.
	 */
	private static final Duration INSPECTION_INTERVAL = Duration.ofSeconds(5);

	private static final Duration QUARANTINE_INSPECTION_INTERVAL = Duration.ofSeconds(1);

	private static final Duration FIRST_RETRY = Duration.ofMillis(100);

	private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

	/**
	 * With more calls without an answer than this a node is not asked for votes: it would
	 * only have more to catch up with.
	 */
	private static final int MOST_UNANSWERED = 1_000;

	private final RedlockNode node;

	private final int index;

	private final NodeGroup nodes;

	private final NodeClock clock = new NodeClock();

	private final AtomicInteger unanswered = new AtomicInteger();

	private final AtomicInteger jumps = new AtomicInteger();

	// Written under the monitor; read by every round.
	private volatile NodeSnapshot snapshot = NodeSnapshot.of(NodeSnapshot.Phase.DOWN, "not connected yet");

	// Set by whoever reads the clock, cleared by the next judgement.
	private volatile boolean suspect;

	// The node that is the same server, from when that was found out until this one is
	// another server.
	private volatile @Nullable NodeLink sameServer;

	// What it refuses as a whole, from when that was found out until it is used.
	private volatile @Nullable NodeRefusedException refusal;

	// The refusals that were reported, so that each is reported once.
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	// Watches the present session; written by whoever connects, read by each call.
	private volatile @Nullable SessionWatch watch;

	// All below is guarded by the monitor. Nothing is called inside it.
	private boolean closed;

	private boolean inspecting;

	private boolean inspectAgain;

	private int failures;

	private NodeSnapshot.@Nullable Phase announced;

	private LockClock.@Nullable Timeout timer;

	NodeLink(RedlockNode node, int index, NodeGroup nodes) {
		this.node = node;
		this.index = index;
		this.nodes = nodes;
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

	NodeSnapshot snapshot() {
		return this.snapshot;
	}

	/**
	 * Return whether this is not the first connection to the node.
	 */
	synchronized boolean wasKnown() {
		return this.failures > 0 || this.closed;
	}

	/**
	 * Return whether the node may be asked for its vote.
	 */
	boolean isVoting() {
		return this.snapshot.phase() == NodeSnapshot.Phase.VOTING && !this.suspect
				&& this.unanswered.get() <= MOST_UNANSWERED;
	}

	/**
	 * Return how often the clock has jumped.
	 */
	int jumps() {
		return this.jumps.get();
	}

	/**
	 * Return whether an answer counts: the clock is not suspect, nor has it jumped since
	 * the request was sent, even if that was settled meanwhile.
	 * @param jumpsBefore {@link #jumps()} from before the request was sent
	 */
	boolean isTrusted(int jumpsBefore) {
		return !this.suspect && this.jumps.get() == jumpsBefore;
	}

	NodeClock clock() {
		return this.clock;
	}

	/**
	 * Return why the node is not used until somebody changes something, if so.
	 */
	Optional<NodeRefusedException> refusal() {
		return Optional.ofNullable(this.refusal);
	}

	/**
	 * Report a command that the node refuses, unless it has been reported.
	 */
	void report(NodeRefusedException refused) {
		if (this.reported.add(String.valueOf(refused.getMessage()))) {
			this.nodes.listener().commandRefused(name(), String.valueOf(refused.getMessage()));
		}
	}

	/**
	 * Return the node that is the same server under another address, if there is one.
	 */
	Optional<NodeLink> sameServer() {
		return Optional.ofNullable(this.sameServer);
	}

	/**
	 * Make a call on a session of this node, and read the clock that its answer brings.
	 */
	<T> CompletionStage<NodeAnswer<T>> ask(NodeSession session,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call) {
		long sentAt = this.nodes.clock().nanoTime();
		this.unanswered.incrementAndGet();
		SessionWatch watching = watch(session);
		if (watching != null) {
			watching.callBegun();
		}
		CompletionStage<NodeAnswer<T>> answer;
		try {
			answer = call.apply(session);
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedStage(ex);
		}
		return answer.whenComplete((answered, fault) -> {
			this.unanswered.decrementAndGet();
			if (watching != null) {
				watching.callEnded();
			}
			if (unwrap(fault) instanceof NodeRefusedException refused) {
				report(refused);
			}
			if (answered != null) {
				this.clock.read(answered.micros(), sentAt, this.nodes.clock().nanoTime()).ifPresent((jump) -> {
					this.suspect = true;
					this.jumps.incrementAndGet();
					this.nodes.clockJumps().jumped(this, jump);
				});
			}
		});
	}

	private @Nullable SessionWatch watch(NodeSession session) {
		SessionWatch current = this.watch;
		return (current != null && current.session() == session) ? current : null;
	}

	/**
	 * Ask something that changes nothing, so that a connection that has fallen silent is
	 * found out and replaced.
	 */
	void probe() {
		NodeSession session = this.snapshot.session();
		if (session != null) {
			var unused = ask(session, NodeSession::state);
		}
	}

	void open() {
		synchronized (this) {
			if (this.closed || this.snapshot.phase() != NodeSnapshot.Phase.DOWN) {
				return;
			}
			enter(NodeSnapshot.of(NodeSnapshot.Phase.CONNECTING, "connecting"));
		}
		CompletionStage<NodeSession> connecting;
		try {
			connecting = this.node.connect();
		}
		catch (RuntimeException ex) {
			connecting = CompletableFuture.failedStage(ex);
		}
		connecting.whenComplete((session, fault) -> {
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
				enter(new NodeSnapshot(NodeSnapshot.Phase.INSPECTING, session, null, "", 0, "its state is read"));
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
				(silence) -> giveUp(session, "it has answered nothing for " + silence.toMillis() + " ms"));
		session.onRefusal(this::report);
		session.onEnd(() -> ended(session, "the connection has ended"));
		readState(session, session.identity());
	}

	private void notConnected(Throwable fault) {
		Throwable cause = (fault instanceof CompletionException && fault.getCause() != null) ? fault.getCause() : fault;
		boolean refused = cause instanceof NodeRefusedException;
		this.refusal = (cause instanceof NodeRefusedException why) ? why : null;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.failures++;
			enter(NodeSnapshot.of(refused ? NodeSnapshot.Phase.REFUSED : NodeSnapshot.Phase.DOWN,
					String.valueOf(cause.getMessage())));
		}
		this.sameServer = null;
		announce();
		retry();
	}

	/**
	 * Take note that the connection has ended. Whatever was under way counts as
	 * unanswered.
	 */
	private void ended(NodeSession session, String why) {
		synchronized (this) {
			if (this.snapshot.session() != session || this.closed) {
				return;
			}
			this.inspecting = false;
			this.suspect = false;
			this.failures++;
			enter(NodeSnapshot.of(NodeSnapshot.Phase.DOWN, why));
		}
		this.nodes.servers().forget(this);
		announce();
		retry();
	}

	private void retry() {
		Duration pause;
		synchronized (this) {
			int step = Math.min(this.failures - 1, 6);
			Duration most = FIRST_RETRY.multipliedBy(1L << Math.max(step, 0));
			pause = (most.compareTo(LONGEST_RETRY) < 0) ? most : LONGEST_RETRY;
		}
		// Clients that lost a node together do not come back together.
		long nanos = pause.toNanos() / 2 + this.nodes.random().below(pause.toNanos() / 2);
		schedule(Duration.ofNanos(nanos), () -> {
			synchronized (this) {
				if (this.snapshot.phase() == NodeSnapshot.Phase.REFUSED) {
					enter(NodeSnapshot.of(NodeSnapshot.Phase.DOWN, this.snapshot.why()));
				}
			}
			open();
		});
	}

	/**
	 * Look at the node again: something says that it is no longer what it was.
	 */
	void inspect() {
		NodeSession session;
		synchronized (this) {
			session = this.snapshot.session();
			if (session == null || this.closed) {
				return;
			}
			if (this.inspecting) {
				this.inspectAgain = true;
				return;
			}
			this.inspecting = true;
		}
		await(session, ask(session, NodeSession::identify), (answer) -> readState(session, answer.value()));
	}

	private void readState(NodeSession session, NodeIdentity identity) {
		await(session, ask(session, NodeSession::state),
				(answer) -> judge(session, identity, answer.value().orElse(null), answer.micros()));
	}

	/**
	 * Go on with an answer, or end the session where there is none in time.
	 */
	private <T> void await(NodeSession session, CompletionStage<NodeAnswer<T>> answer, Consumer<NodeAnswer<T>> next) {
		LockClock.Timeout timeout = this.nodes.clock()
			.schedule(this.nodes.settings().callTimeout(), () -> giveUp(session, "it does not answer"));
		answer.whenComplete((answered, fault) -> {
			timeout.cancel();
			Throwable cause = unwrap(fault);
			if (cause instanceof NodeRefusedException refused) {
				refuse(session, refused);
			}
			else if (cause instanceof UnknownFormatException) {
				refuse(session, unknown(cause));
			}
			else if (answered == null) {
				giveUp(session, (cause != null) ? String.valueOf(cause.getMessage()) : "it does not answer");
			}
			else if (this.snapshot.session() == session) {
				next.accept(answered);
			}
		});
	}

	/**
	 * Return what a stage failed with, without what stages put around it.
	 */
	private static @Nullable Throwable unwrap(@Nullable Throwable fault) {
		return (fault instanceof CompletionException && fault.getCause() != null) ? fault.getCause() : fault;
	}

	private void giveUp(NodeSession session, String reason) {
		ended(session, reason);
		session.close();
	}

	private void judge(NodeSession session, NodeIdentity identity, @Nullable String literal, long micros) {
		Optional<String> refusal = identity.refusal();
		if (refusal.isPresent()) {
			refuse(session, refusal.get());
			return;
		}
		Optional<NodeLink> owner = this.nodes.servers().claim(this, identity.runId());
		if (owner.isPresent()) {
			compare(owner.get(), session, identity, literal, micros);
			return;
		}
		String hash = this.nodes.configHash();
		NodeState state = (literal != null) ? NodeState.parse(literal).orElse(null) : null;
		if (literal != null && state == null) {
			refuse(session, "its state has a form that this version does not know: a later version may use the node");
			return;
		}
		if (state != null && state.incarnation().equals(identity.incarnation())) {
			if (state.configHash().equals(hash)) {
				settle(session, state);
			}
			else {
				refuse(session, "other clients use it with another list of nodes, longest ttl or retention of tokens");
			}
			return;
		}
		NodeState next = (literal == null && !this.nodes.settings().quarantineOnEmpty())
				? new NodeState.Voting(identity.incarnation(), hash, new NodeHighWaterMark(micros, 0))
				: new NodeState.Quarantine(identity.incarnation(), hash, this.nodes.random().nonce());
		change(session, identity, literal, next);
	}

	/**
	 * Refuse this node if another one is the same server at this moment. The other one is
	 * asked again, since it may be another server meanwhile.
	 */
	private void compare(NodeLink owner, NodeSession session, NodeIdentity identity, @Nullable String literal,
			long micros) {
		owner.confirm(identity.runId(), (same) -> {
			if (this.snapshot.session() != session) {
				return;
			}
			if (!same) {
				this.nodes.servers().forget(owner);
				judge(session, identity, literal, micros);
				return;
			}
			this.sameServer = owner;
			refuse(session, "it is one server with " + owner.name() + " (run_id " + identity.runId()
					+ "), and a server has one vote: list each server once in lock.redlock.nodes");
		});
	}

	/**
	 * Find out whether this node still is a server.
	 */
	private void confirm(String runId, Consumer<Boolean> next) {
		NodeSession session = this.snapshot.session();
		if (session == null) {
			next.accept(false);
			return;
		}
		AtomicBoolean asked = new AtomicBoolean();
		LockClock.Timeout timeout = this.nodes.clock().schedule(this.nodes.settings().callTimeout(), () -> {
			if (asked.compareAndSet(false, true)) {
				giveUp(session, "it does not answer");
				next.accept(false);
			}
		});
		ask(session, NodeSession::identify).whenComplete((answer, fault) -> {
			timeout.cancel();
			if (!asked.compareAndSet(false, true)) {
				return;
			}
			boolean same = answer != null && answer.value().runId().equals(runId);
			if (!same) {
				inspect();
			}
			next.accept(same);
		});
	}

	private void change(NodeSession session, NodeIdentity identity, @Nullable String literal, NodeState next) {
		await(session, ask(session, (open) -> open.changeState(literal, next.literal(), NodeHighWaterMark.NONE)),
				(answer) -> {
					if (answer.value()) {
						settle(session, next);
					}
					else {
						readState(session, identity);
					}
				});
	}

	/**
	 * Take note of a state that is this client's too.
	 */
	private void settle(NodeSession session, NodeState state) {
		boolean again;
		boolean news;
		synchronized (this) {
			if (this.snapshot.session() != session) {
				return;
			}
			NodeSnapshot before = this.snapshot;
			news = !state.equals(before.state());
			if (news) {
				enter(NodeSnapshot.of(session, state, this.nodes.clock().nanoTime()));
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
			scheduleNext();
		}
	}

	/**
	 * Wait for the end of the quarantine, and look again now and then.
	 */
	private void scheduleNext() {
		NodeSnapshot current = this.snapshot;
		if (current.phase() == NodeSnapshot.Phase.VOTING) {
			schedule(INSPECTION_INTERVAL, this::inspect);
		}
		else if (current.phase() == NodeSnapshot.Phase.QUARANTINED) {
			Duration left = quarantineLeft(current);
			if (left.isZero()) {
				// Another try to end it comes with the next look.
				schedule(QUARANTINE_INSPECTION_INTERVAL, this::inspect);
				this.nodes.recovery().end(this, current);
			}
			else {
				schedule((left.compareTo(QUARANTINE_INSPECTION_INTERVAL) < 0) ? left : QUARANTINE_INSPECTION_INTERVAL,
						this::inspect);
			}
		}
	}

	/**
	 * Return how long this client has to see this very quarantine before it may end it.
	 */
	Duration quarantineLeft(NodeSnapshot current) {
		long over = current.since() + this.nodes.settings().quarantine().toNanos();
		return Duration.ofNanos(Math.max(0, over - this.nodes.clock().nanoTime()));
	}

	/**
	 * Let the node vote again.
	 * @param quarantine what is known of it, with the quarantine that is over
	 * @param floor what it may have forgotten
	 * @param done is told whether this client did it
	 */
	void endQuarantine(NodeSnapshot quarantine, NodeHighWaterMark floor, Runnable done) {
		NodeSession session = quarantine.openSession();
		NodeState state = quarantine.knownState();
		NodeState next = new NodeState.Voting(state.incarnation(), state.configHash(), floor);
		ask(session, (open) -> open.changeState(state.literal(), next.literal(), floor)).thenAccept((answer) -> {
			if (answer.value()) {
				done.run();
				settle(session, next);
			}
			else {
				inspect();
			}
		});
	}

	/**
	 * Keep the node from voting because its clock has jumped, so that locks may have run
	 * out there before their time. All clients see it.
	 */
	void quarantine() {
		NodeSnapshot current = this.snapshot;
		if (current.phase() != NodeSnapshot.Phase.VOTING) {
			this.suspect = false;
			return;
		}
		NodeSession session = current.openSession();
		NodeState state = current.knownState();
		NodeState next = new NodeState.Quarantine(state.incarnation(), state.configHash(), this.nodes.random().nonce());
		await(session,
				ask(session, (open) -> open.changeState(state.literal(), next.literal(), NodeHighWaterMark.NONE)),
				(answer) -> {
					if (answer.value()) {
						settle(session, next);
					}
					else {
						this.suspect = false;
						inspect();
					}
				});
	}

	/**
	 * Trust the clock again: it was ours that stood still.
	 */
	void trust() {
		this.suspect = false;
	}

	private static String unknown(Throwable cause) {
		return cause.getMessage() + " has a form that this version does not know: a later version may use the node";
	}

	/**
	 * Take note that the marks of the node could not be read.
	 */
	void markNotRead(NodeSession session, @Nullable Throwable fault) {
		if (unwrap(fault) instanceof UnknownFormatException cause) {
			refuse(session, unknown(cause));
		}
	}

	private void refuse(NodeSession session, String reason) {
		refuse(session, new NodeRefusedException(reason, null));
	}

	private void refuse(NodeSession session, NodeRefusedException reason) {
		synchronized (this) {
			if (this.snapshot.session() != session) {
				return;
			}
			this.inspecting = false;
			this.failures++;
			enter(NodeSnapshot.of(NodeSnapshot.Phase.REFUSED, String.valueOf(reason.getMessage())));
		}
		this.refusal = reason;
		this.nodes.servers().forget(this);
		session.close();
		announce();
		retry();
	}

	private void announce() {
		NodeSnapshot current = this.snapshot;
		boolean news;
		synchronized (this) {
			news = this.announced != current.phase() || current.phase() == NodeSnapshot.Phase.QUARANTINED;
			this.announced = current.phase();
		}
		this.nodes.changed(this, current, news);
	}

	private void schedule(Duration delay, Runnable task) {
		synchronized (this) {
			if (this.timer != null) {
				this.timer.cancel();
			}
			this.timer = this.closed ? null : this.nodes.clock().schedule(delay, task);
		}
	}

	private void enter(NodeSnapshot next) {
		this.snapshot = next;
	}

	void close() {
		NodeSession session;
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
			session = this.snapshot.session();
			enter(NodeSnapshot.of(NodeSnapshot.Phase.DOWN, "the locks were stopped"));
			if (this.timer != null) {
				this.timer.cancel();
				this.timer = null;
			}
		}
		if (session != null) {
			session.close();
		}
		this.node.close();
	}

}
