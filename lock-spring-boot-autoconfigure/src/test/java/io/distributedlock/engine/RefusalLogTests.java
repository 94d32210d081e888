package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RefusalLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RefusalLogTests {

	private static final LockRefusedException REFUSAL = new LockRefusedException("a right of these tests is missing",
			null);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final RefusalLog log = new RefusalLog(
			new BackendLabel("refusing", new LocalLockBackend(new LocalStore(this.clock), "test", this.clock)),
			this.clock);

	@Test
	void callsThatAreRefusedInTurnAreLoggedOnceAMinute(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			this.log.report("an acquisition", REFUSAL);
			this.log.report("a renewal", REFUSAL);
			this.clock.advance(Duration.ofSeconds(1));
		}
		assertThat(lines(output, "refuses an acquisition")).isOne();
		assertThat(lines(output, "refuses a renewal")).isOne();

		this.clock.advance(Duration.ofMinutes(1));
		this.log.report("an acquisition", REFUSAL);
		assertThat(lines(output, "refuses an acquisition")).isEqualTo(2);
	}

	private static long lines(CapturedOutput output, String part) {
		return output.getAll().lines().filter((line) -> line.contains("'refusing'") && line.contains(part)).count();
	}

}
