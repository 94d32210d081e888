package io.distributedlock.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import io.distributedlock.LockKeys;
import io.distributedlock.observation.TagValues;
import io.distributedlock.spi.AcquisitionEvidence;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.StoreMonitor;

/**
 * Reports the health of a store. A recent acquisition shows that the store works;
 * otherwise it is probed. Failures are reported and not logged, because the engine logs
 * outages.
 */
class LockStoreHealthIndicator implements HealthIndicator {

	/**
	 * The store works, but slower than {@code lock.health.latency-threshold}.
	 */
	static final Status SLOW = new Status("SLOW", "The store answers slowly");

	private final StoreMonitor store;

	private final StoreProbe probe;

	private final ProbeMode mode;

	private final Duration interval;

	private final Duration latencyThreshold;

	LockStoreHealthIndicator(StoreMonitor store, StoreProbe probe, ProbeMode mode, Duration interval,
			Duration latencyThreshold) {
		this.store = store;
		this.probe = probe;
		this.mode = mode;
		this.interval = interval;
		this.latencyThreshold = latencyThreshold;
	}

	@Override
	public Health health() {
		Health.Builder health = new Health.Builder();
		health.withDetail("store", this.store.name());
		String address = this.store.address();
		if (address != null) {
			health.withDetail("address", address);
		}
		NodeVotes votes = new NodeVotes(this.store.nodes(), this.store.quorum());
		if (!this.store.isRunning()) {
			health.outOfService().withDetail("error", "the locks are stopped");
		}
		else {
			judge(health, votes);
			if (this.store.circuit() != CircuitState.CLOSED) {
				health.down();
			}
		}
		describe(health, votes);
		return health.build();
	}

	private void judge(Health.Builder health, NodeVotes votes) {
		if (!votes.isQuorum()) {
			lacking(health, votes);
			return;
		}
		Optional<AcquisitionEvidence> evidence = (this.mode != ProbeMode.ALWAYS) ? recent() : Optional.empty();
		if (evidence.isPresent()) {
			answered(health, "acquisition", evidence.get().roundTrip(), evidence.get().age());
		}
		else if (this.mode == ProbeMode.NEVER) {
			health.unknown();
		}
		else {
			probed(health, this.probe.result());
		}
	}

	/**
	 * Report too few votes. If the missing ones are only in quarantine, waiting helps.
	 */
	private static void lacking(Health.Builder health, NodeVotes votes) {
		health.withDetail("error", votes.shortfall());
		if (!votes.isQuorumAfterQuarantine()) {
			health.down();
			return;
		}
		health.outOfService();
		Duration remaining = votes.quarantine();
		if (remaining != null) {
			health.withDetail("quarantineMs", remaining.toMillis());
		}
	}

	private Optional<AcquisitionEvidence> recent() {
		return this.store.evidence().filter((evidence) -> evidence.age().compareTo(this.interval) <= 0);
	}

	private void probed(Health.Builder health, StoreProbe.Result result) {
		Duration latency = result.latency();
		if (latency != null) {
			answered(health, "probe", latency, this.probe.age(result));
			return;
		}
		health.withDetail("evidence", "probe").withDetail("checkedMsAgo", this.probe.age(result).toMillis());
		Throwable failure = result.failure();
		if (failure instanceof QuarantineException quarantine) {
			health.outOfService().withDetail("quarantineMs", quarantine.remaining().toMillis());
		}
		else {
			health.down();
		}
		health.withDetail("error", message(failure));
	}

	private static String message(@Nullable Throwable failure) {
		String message = (failure != null) ? failure.getMessage() : null;
		return LockKeys.printable((message != null) ? message : String.valueOf(failure));
	}

	private void answered(Health.Builder health, String evidence, Duration latency, Duration age) {
		boolean slow = latency.compareTo(this.latencyThreshold) > 0;
		health.status(slow ? SLOW : Status.UP)
			.withDetail("evidence", evidence)
			.withDetail("latencyMs", latency.toMillis())
			.withDetail("latencyThresholdMs", this.latencyThreshold.toMillis())
			.withDetail("checkedMsAgo", age.toMillis());
	}

	private void describe(Health.Builder health, NodeVotes votes) {
		List<NodeStatus> nodes = votes.nodes();
		health.withDetail("circuit", TagValues.of(this.store.circuit()));
		if (!nodes.isEmpty()) {
			if (nodes.size() > 1) {
				health.withDetail("quorum", votes.quorum() + " of " + nodes.size())
					.withDetail("votingNodes", votes.voting());
			}
			health.withDetail("nodes", nodes.stream().map(LockStoreHealthIndicator::details).toList());
		}
		SessionStatus session = this.store.session();
		if (session != null) {
			Map<String, Object> details = new LinkedHashMap<>();
			details.put("id", session.id());
			details.put("validMs", session.validFor().toMillis());
			health.withDetail("session", details);
		}
	}

	private static Map<String, Object> details(NodeStatus node) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("node", node.node());
		details.put("state", TagValues.of(node.state()));
		Duration remaining = node.remaining();
		if (remaining != null) {
			details.put("quarantineMs", remaining.toMillis());
		}
		return details;
	}

}
