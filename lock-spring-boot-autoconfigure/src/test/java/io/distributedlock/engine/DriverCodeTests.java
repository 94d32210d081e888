package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests for all calls of the engine to a driver that misbehaves. Every misbehaviour
 * happens once, in the middle of the engine's work. After that the driver works again,
 * and so must the engine.
 */
class DriverCodeTests {

	private static final Duration NO_STOP_TIMEOUT = Duration.ofHours(1);

	// Real time, for which some tests wait.
	private static final Duration SHORT_STOP_TIMEOUT = Duration.ofMillis(200);

	static Stream<Arguments> places() {
		return Stream.of(Place.values())
			.flatMap((place) -> place.misbehaviours.stream().map((misbehaviour) -> Arguments.of(place, misbehaviour)));
	}

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("places")
	void engineGoesOn(Place place, Misbehaviour misbehaviour) {
		// The caller of a store that never answers may still be waiting at the stop.
		boolean outstanding = misbehaviour == Misbehaviour.NEVER_COMPLETES
				|| place == Place.ABANDON_OF_AN_OVERDUE_ATTEMPT;
		try (EngineHealth engine = new EngineHealth(outstanding ? SHORT_STOP_TIMEOUT : NO_STOP_TIMEOUT, List.of(),
				List.of())) {
			place.scene.play(engine, () -> engine.driver.misbehave(place.call, misbehaviour));

			EngineHealth.until("the driver misbehaves", engine.driver::hasMisbehaved);
			if (place != Place.STOP) {
				engine.assertHealthy();
				engine.assertStops();
			}
			if (!outstanding) {
				engine.assertIdle();
			}
		}
	}

	/**
	 * A place at which the engine calls the driver.
	 */
	enum Place {

		CONTEND(with(Misbehaviour.THROWS, Misbehaviour.RETURNS_NULL), DriverScenes::acquireAsync,
				MisbehavingDriver.Call.CONTEND),

		CONTEND_FOR_A_TRY(with(Misbehaviour.THROWS, Misbehaviour.RETURNS_NULL), DriverScenes::tryAcquire,
				MisbehavingDriver.Call.CONTEND),

		ATTEMPT(attemptMay(), DriverScenes::acquireAsync, MisbehavingDriver.Call.ATTEMPT),

		ATTEMPT_FOR_A_TRY(attemptMay(), DriverScenes::tryAcquire, MisbehavingDriver.Call.ATTEMPT),

		ATTEMPT_ONCE_TAKEN(Misbehaviour.THROWS_ANYTHING, DriverScenes::acquireAsync,
				MisbehavingDriver.Call.ATTEMPT_ONCE_TAKEN),

		ATTEMPT_ONCE_TAKEN_FOR_A_TRY(Misbehaviour.THROWS_ANYTHING, DriverScenes::tryAcquire,
				MisbehavingDriver.Call.ATTEMPT_ONCE_TAKEN),

		WITHDRAW_AFTER_THE_WAIT_TIME(Misbehaviour.THROWS, DriverScenes::timeOut, MisbehavingDriver.Call.WITHDRAW),

		WITHDRAW_AFTER_A_CANCELLATION(Misbehaviour.THROWS, DriverScenes::cancel, MisbehavingDriver.Call.WITHDRAW),

		RENEW(renewMay(), DriverScenes::renew, MisbehavingDriver.Call.RENEW),

		RENEW_FOR_VERIFY(renewMay(), DriverScenes::verify, MisbehavingDriver.Call.RENEW),

		RELEASE(answerMay(), DriverScenes::release, MisbehavingDriver.Call.RELEASE),

		RELEASE_AFTER_A_LOSS(answerMay(), DriverScenes::lose, MisbehavingDriver.Call.RELEASE),

		RELEASE_OF_A_GRANT_THAT_COMES_TOO_LATE(answerMay(), DriverScenes::grantTooLate, MisbehavingDriver.Call.RELEASE),

		ABANDON(abandonMay(), DriverScenes::failAttempt, MisbehavingDriver.Call.ABANDON),

		ABANDON_OF_AN_OVERDUE_ATTEMPT(abandonMay(), DriverScenes::neverAnswerAttempt, MisbehavingDriver.Call.ABANDON),

		FIND(answerMay(), DriverScenes::find, MisbehavingDriver.Call.FIND),

		LIST(answerMay(), DriverScenes::list, MisbehavingDriver.Call.LIST),

		FORCE_RELEASE(answerMay(), DriverScenes::forceRelease, MisbehavingDriver.Call.FORCE_RELEASE),

		STOP(Misbehaviour.THROWS_ANYTHING, DriverScenes::stop, MisbehavingDriver.Call.STOP);

		private final Set<Misbehaviour> misbehaviours;

		private final Scene scene;

		private final MisbehavingDriver.Call call;

		Place(Set<Misbehaviour> misbehaviours, Scene scene, MisbehavingDriver.Call call) {
			this.misbehaviours = misbehaviours;
			this.scene = scene;
			this.call = call;
		}

		private static Set<Misbehaviour> answerMay() {
			return with(Misbehaviour.THROWS, Misbehaviour.RETURNS_NULL, Misbehaviour.COMPLETES_WITH_NULL,
					Misbehaviour.COMPLETES_WITH_ERROR, Misbehaviour.NEVER_COMPLETES);
		}

		private static Set<Misbehaviour> attemptMay() {
			return with(answerMay(), Misbehaviour.COMPLETES_TWICE, Misbehaviour.REFUSES_HANDLERS,
					Misbehaviour.WAKES_UP_THE_WAITER);
		}

		private static Set<Misbehaviour> renewMay() {
			return with(answerMay(), Misbehaviour.ANSWERS_TOO_FEW, Misbehaviour.ANSWERS_NULL_FOR_EACH);
		}

		/**
		 * Return the misbehaviours of a call whose stage normally completes with null.
		 */
		private static Set<Misbehaviour> abandonMay() {
			return with(Misbehaviour.THROWS, Misbehaviour.RETURNS_NULL, Misbehaviour.COMPLETES_WITH_ERROR,
					Misbehaviour.NEVER_COMPLETES);
		}

		private static Set<Misbehaviour> with(Set<Misbehaviour> some, Misbehaviour... others) {
			Set<Misbehaviour> all = EnumSet.copyOf(some);
			all.addAll(List.of(others));
			return all;
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

	/**
	 * Lets the engine make the call.
	 */
	@FunctionalInterface
	interface Scene {

		/**
		 * Play the scene.
		 * @param engine the engine
		 * @param misbehaving makes the driver misbehave the next time
		 */
		void play(EngineHealth engine, Runnable misbehaving);

	}

}
