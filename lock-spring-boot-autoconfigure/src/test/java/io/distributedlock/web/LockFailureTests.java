package io.distributedlock.web;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.web.ErrorResponse;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockFailure}.
 */
class LockFailureTests {

	@ParameterizedTest
	@CsvSource({ "PT-1S, 1", "PT0S, 1", "PT0.000000001S, 1", "PT1S, 1", "PT1.001S, 2", "PT29.5S, 30",
			"PT87600H, 315360000" })
	void timeToRetryAfterIsInWholeSecondsRoundedUp(Duration time, String seconds) {
		ErrorResponse answer = answer(new LockBusyException("k", "busy", time));

		assertThat(answer.getHeaders().get("Retry-After")).containsExactly(seconds);
	}

	@Test
	void unknownTimeToRetryAfterIsNotGuessed() {
		assertThat(answer(new LockBusyException("k", "busy", null)).getHeaders().isEmpty()).isTrue();
	}

	@Test
	void outermostExceptionOfALockCounts() {
		LockException inner = new LockBusyException("k", "busy", null);
		LockUnavailableException outer = new LockUnavailableException("unavailable", inner);

		assertThat(LockFailure.find(new IllegalStateException(outer)))
			.isEqualTo(new LockFailure(LockProblem.UNAVAILABLE, outer));
	}

	@Test
	void faultsOfTheProgramAndEndsOfTheApplicationAreNoAnswers() {
		assertThat(LockFailure.find(new InvalidLockRequestException("invalid"))).isNull();
		assertThat(LockFailure.find(new LockInterruptedException("interrupted"))).isNull();
		assertThat(LockFailure.find(new TickDoneException("k", Instant.EPOCH))).isNull();
	}

	@Test
	void causesThatGoInACircleEnd() {
		Exception first = new IllegalStateException("first");
		Exception second = new IllegalStateException("second", first);
		first.initCause(second);

		assertThat(LockFailure.find(first)).isNull();
	}

	private static ErrorResponse answer(LockException exception) {
		LockFailure failure = LockFailure.find(exception);
		assertThat(failure).isNotNull();
		return failure.answer(new StaticMessageSource(), Locale.ENGLISH);
	}

}
