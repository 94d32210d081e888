package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.NodeSnapshot.Phase;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Inspects one node: reads which server it is and what its state key says. This happens
 * after it was connected, periodically, and when a vote shows that the state has changed.
 * The inspection changes the state of a node that may have forgotten its locks.
 */
final class NodeInspection {

	/**
	 * How often a voting node is inspected. Each vote compares its state, so inspections
	 * have to find only nodes that were made replicas.
	 */
	private static final Duration INSPECTION_INTERVAL = Duration.ofSeconds(5);

	private static final Duration QUARANTINE_INSPECTION_INTERVAL = Duration.ofSeconds(1);

	private final NodeLink link;

	private final NodeGroup nodes;

	NodeInspection(NodeLink link, NodeGroup nodes) {
		this.link = link;
		this.nodes = nodes;
	}

	/**
	 * Begin an inspection by asking the node for its identity.
	 */
	void identify(NodeSession session) {
		await(session, NodeSession::identify, (answer) -> readState(session, answer.value()));
	}

	void readState(NodeSession session, NodeIdentity identity) {
		await(session, NodeSession::state,
				(answer) -> judge(session, identity, answer.value().orElse(null), answer.micros()));
	}

	/**
	 * Continue with the answer. If the call fails or is not answered in time, refuse the
	 * node or end the session.
	 */
	private <T> void await(NodeSession session, Function<NodeSession, CompletionStage<NodeAnswer<T>>> call,
			Consumer<NodeAnswer<T>> next) {
		ask(session, call).whenComplete((answered, fault) -> {
			Throwable cause = (fault != null) ? CompletionCauses.unwrap(fault) : null;
			if (cause instanceof NodeRefusedException refused) {
				this.link.refuse(session, refused);
			}
			else if (cause instanceof UnknownFormatException) {
				this.link.refuse(session, unknown(cause.getMessage()));
			}
			else if (answered == null) {
				this.link.giveUp(session, (cause != null) ? String.valueOf(cause.getMessage()) : "it does not answer");
			}
			else if (this.link.snapshot().session() == session) {
				next.accept(answered);
			}
		});
	}

	/**
	 * Ask the node, and end the session if it does not answer within the call timeout.
	 * The call then fails with the session.
	 */
	private <T> CompletionStage<NodeAnswer<T>> ask(NodeSession session,
			Function<NodeSession, CompletionStage<NodeAnswer<T>>> call) {
		CompletionStage<NodeAnswer<T>> answer = this.link.ask(session, call);
		LockClock.Timeout timeout = this.nodes.clock()
			.schedule(this.nodes.settings().callTimeout(), () -> this.link.giveUp(session, "it does not answer"));
		return answer.whenComplete((answered, fault) -> timeout.cancel());
	}

	private void judge(NodeSession session, NodeIdentity identity, @Nullable String literal, long micros) {
		Optional<String> refusal = identity.refusal();
		if (refusal.isPresent()) {
			this.link.refuse(session, refusal.get());
			return;
		}
		Optional<NodeLink> owner = this.nodes.servers().claim(this.link, identity.runId());
		if (owner.isPresent()) {
			compare(owner.get(), session, identity, literal, micros);
			return;
		}
		String hash = this.nodes.settings().configHash();
		NodeState state = (literal != null) ? NodeState.parse(literal).orElse(null) : null;
		if (literal != null && state == null) {
			this.link.refuse(session, unknown("its state"));
			return;
		}
		if (state != null && state.incarnation().equals(identity.incarnation())) {
			if (state.configHash().equals(hash)) {
				this.link.settle(session, state);
			}
			else {
				this.link.refuse(session,
						"other clients use it with another list of nodes, longest ttl or retention of tokens");
			}
			return;
		}
		NodeState next = (literal == null && !this.nodes.settings().quarantineOnEmpty())
				? new NodeState.Voting(identity.incarnation(), hash, new NodeHighWaterMark(micros, 0))
				: new NodeState.Quarantine(identity.incarnation(), hash, this.nodes.random().nonce());
		change(session, literal, next, () -> readState(session, identity));
	}

	/**
	 * Refuse this node if another one is the same server at this moment. The other one is
	 * asked again, since it may be another server by now.
	 */
	private void compare(NodeLink owner, NodeSession session, NodeIdentity identity, @Nullable String literal,
			long micros) {
		owner.inspection().confirm(identity.runId(), (same) -> {
			if (this.link.snapshot().session() != session) {
				return;
			}
			if (!same) {
				this.nodes.servers().forget(owner);
				judge(session, identity, literal, micros);
				return;
			}
			this.link.markSameServer(owner);
			this.link.refuse(session, "it is one server with " + owner.name() + " (run_id " + identity.runId()
					+ "), and a server has one vote: list each server once in lock.redlock.nodes");
		});
	}

	/**
	 * Find out whether this node still is the server with this {@code run_id}.
	 */
	private void confirm(String runId, Consumer<Boolean> next) {
		NodeSession session = this.link.snapshot().session();
		if (session == null) {
			next.accept(false);
			return;
		}
		ask(session, NodeSession::identify).whenComplete((answer, fault) -> {
			boolean same = answer != null && answer.value().runId().equals(runId);
			if (!same) {
				this.link.inspect();
			}
			next.accept(same);
		});
	}

	/**
	 * Change the state of the node, unless another client has changed it meanwhile.
	 */
	private void change(NodeSession session, @Nullable String literal, NodeState next, Runnable otherwise) {
		await(session, (open) -> open.changeState(literal, next.literal(), NodeHighWaterMark.NONE), (answer) -> {
			if (answer.value()) {
				this.link.settle(session, next);
			}
			else {
				otherwise.run();
			}
		});
	}

	/**
	 * Schedule the next inspection. If the time of a quarantine is over, try to end it.
	 */
	void scheduleNext() {
		NodeSnapshot current = this.link.snapshot();
		if (current.phase() == Phase.VOTING) {
			this.link.schedule(INSPECTION_INTERVAL, this.link::inspect);
		}
		else if (current.phase() == Phase.QUARANTINED) {
			Duration left = this.link.quarantineLeft(current);
			boolean soon = !left.isZero() && left.compareTo(QUARANTINE_INSPECTION_INTERVAL) < 0;
			this.link.schedule(soon ? left : QUARANTINE_INSPECTION_INTERVAL, this.link::inspect);
			if (left.isZero()) {
				// If this fails, the next inspection tries again.
				new QuarantineRecovery(this.nodes, this.link, current).start();
			}
		}
	}

	/**
	 * Let the node vote again.
	 * @param quarantine its snapshot, with the quarantine that is over
	 * @param floor the greatest token and tick that it may have forgotten
	 * @param done is run if it was this client that ended the quarantine
	 */
	void endQuarantine(NodeSnapshot quarantine, NodeHighWaterMark floor, Runnable done) {
		NodeSession session = quarantine.openSession();
		NodeState state = quarantine.knownState();
		NodeState next = new NodeState.Voting(state.incarnation(), state.configHash(), floor);
		this.link.ask(session, (open) -> open.changeState(state.literal(), next.literal(), floor))
			.thenAccept((answer) -> {
				if (answer.value()) {
					done.run();
					this.link.settle(session, next);
				}
				else {
					this.link.inspect();
				}
			});
	}

	/**
	 * Keep the node from voting because its clock has jumped and its locks may have
	 * expired early. All clients see this quarantine.
	 */
	void quarantine() {
		NodeSnapshot current = this.link.snapshot();
		if (current.phase() != Phase.VOTING) {
			this.link.trust();
			return;
		}
		NodeSession session = current.openSession();
		NodeState state = current.knownState();
		NodeState next = new NodeState.Quarantine(state.incarnation(), state.configHash(), this.nodes.random().nonce());
		change(session, state.literal(), next, () -> {
			this.link.trust();
			this.link.inspect();
		});
	}

	/**
	 * Refuse the node if its marks could not be read because of their form.
	 */
	void markNotRead(NodeSession session, @Nullable Throwable fault) {
		if (fault != null && CompletionCauses.unwrap(fault) instanceof UnknownFormatException cause) {
			this.link.refuse(session, unknown(cause.getMessage()));
		}
	}

	private static String unknown(@Nullable String what) {
		return what + " has a form that this version does not know: a later version may use the node";
	}

}
