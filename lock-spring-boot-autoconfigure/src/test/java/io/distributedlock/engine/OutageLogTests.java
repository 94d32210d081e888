package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutageLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageLogTests {

	private static final Exception FAULT = new IllegalStateException("connection refused");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final OutageLog log = new OutageLog(
			new BackendLabel("silent", new LocalLockBackend(new LocalStore(this.clock), "test", this.clock)),
			this.clock);

	@Test
	void outageIsLoggedOnceThenOnceAMinuteAndAtItsEnd(CapturedOutput output) {
		for (int second = 0; second < 150; second++) {
			this.log.failed(FAULT);
			this.log.failed(FAULT);
			this.clock.advance(Duration.ofSeconds(1));
		}
		assertThat(this.log.isUnderWay()).isTrue();
		this.log.answered();
		this.log.answered();
		this.clock.advance(Duration.ofSeconds(3));

		assertThat(this.log.isUnderWay()).isFalse();
		assertThat(lines(output, "does not answer: ")).isOne();
		assertThat(lines(output, "has not answered for 60 s")).isOne();
		assertThat(lines(output, "has not answered for 120 s")).isOne();
		assertThat(lines(output, "answers again after 150 s, in which 300 calls failed")).isOne();
	}

	@Test
	void nextOutageIsLoggedAgain(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			this.log.failed(FAULT);
			this.log.answered();
			this.clock.advance(Duration.ofSeconds(3));
		}

		assertThat(lines(output, "does not answer: ")).isEqualTo(2);
		assertThat(lines(output, "answers again")).isEqualTo(2);
	}

	@Test
	void failuresAmongAnswersAreOneOutage(CapturedOutput output) {
		for (int i = 0; i < 10; i++) {
			this.log.failed(FAULT);
			this.log.answered();
			this.clock.advance(Duration.ofMillis(700));
		}
		assertThat(this.log.isUnderWay()).isTrue();
		this.clock.advance(Duration.ofMillis(2300));

		assertThat(this.log.isUnderWay()).isFalse();
		assertThat(lines(output, "does not answer: ")).isOne();
		assertThat(lines(output, "answers again after 6 s, in which 10 calls failed")).isOne();
	}

	private static long lines(CapturedOutput output, String part) {
		return output.getAll().lines().filter((line) -> line.contains("'silent'") && line.contains(part)).count();
	}

}
