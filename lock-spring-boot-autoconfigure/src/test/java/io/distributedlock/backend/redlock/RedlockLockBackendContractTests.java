package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * The contract of all stores on three nodes that answer at once, on a virtual clock.
 */
class RedlockLockBackendContractTests extends LockBackendContract {

	private static final List<String> NAMES = List.of("one:1", "two:2", "three:3");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final RedlockSettings settings = new RedlockSettings(NAMES, Duration.ofMillis(50), Duration.ofSeconds(120),
			true, Duration.ofHours(1), Duration.ofSeconds(2), "test", "");

	private final List<DirectNode> nodes = NAMES.stream()
		.map((name) -> new DirectNode(name, this.clock).voting(this.settings))
		.toList();

	@Override
	protected LockBackend newClient() {
		return new CutOffBackend(new RedlockLockBackend(() -> this.nodes.stream().map(DirectNode::way).toList(),
				this.settings, this.clock, RandomSource.ofThreads(), RedlockListener.NONE));
	}

	@Override
	protected LockClock clock() {
		return this.clock;
	}

	@Override
	protected void elapse(Duration duration) {
		this.clock.advance(duration);
	}

	@Override
	protected boolean tellsMembersOfWaiters() {
		return true;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		((CutOffBackend) client).setCutOff(true);
	}

	@Override
	protected void restore(LockBackend client) {
		((CutOffBackend) client).setCutOff(false);
	}

}
