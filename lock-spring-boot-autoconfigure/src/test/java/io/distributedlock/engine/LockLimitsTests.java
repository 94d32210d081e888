package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockLimitException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.LockLimits.Slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockLimits}.
 */
class LockLimitsTests {

	private static final int NONE = LimitSettings.UNLIMITED;

	private final List<String> refusals = new ArrayList<>();

	@Test
	void withoutLimitsThereIsNothingToCount() {
		assertThat(new LockLimits(LimitSettings.NONE).isLimited()).isFalse();
	}

	@Test
	void callsUpToTheLimitAreAdmitted() {
		LockLimits limits = new LockLimits(new LimitSettings(NONE, NONE, 2, NONE));
		Slot first = admit(limits, "a");
		admit(limits, "b");

		assertThatExceptionOfType(LockLimitException.class).isThrownBy(() -> admit(limits, "c"))
			.withMessageContaining("lock.limits.max-waiters");
		assertThat(this.refusals).containsExactly("max-waiters");

		first.free();
		first.free();
		assertThat(limits.waiterCount()).isOne();
		assertThat(admit(limits, "c")).isNotNull();
	}

	@Test
	void limitOfANameLeavesOtherNamesAlone() {
		LockLimits limits = new LockLimits(new LimitSettings(NONE, 1, NONE, NONE));
		Slot held = hold(limits, "a");

		assertThatExceptionOfType(LockLimitException.class).isThrownBy(() -> admit(limits, "a"))
			.withMessageContaining("lock.limits.max-held-per-name");
		assertThat(admit(limits, "b")).isNotNull();

		held.free();
		assertThat(admit(limits, "a")).isNotNull();
	}

	@Test
	void countsAreZeroWhenAllAreFreed() {
		LockLimits limits = new LockLimits(new LimitSettings(100, 100, 100, 100));
		List<Slot> slots = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			slots.add(admit(limits, "name" + i % 7));
			slots.add(hold(limits, "name" + i % 7));
		}

		slots.forEach(Slot::free);

		assertThat(limits.isZero()).isTrue();
	}

	private Slot admit(LockLimits limits, String name) {
		return limits.admit(request(name), (request, limit) -> this.refusals.add(limit));
	}

	private Slot hold(LockLimits limits, String name) {
		return limits.hold(request(name), (request, limit) -> this.refusals.add(limit));
	}

	private static LockRequest request(String name) {
		return LockRequest.of("key").name(name);
	}

}
