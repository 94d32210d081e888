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

import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for callers' code that runs between two steps of the engine and misbehaves there.
 * No step depends on that code: regardless of listeners, futures and bodies, leases are
 * renewed and lost, waiters are served and time out, and a stop ends.
 * {@link DriverCodeTests} does the same for drivers.
 */
class CallersCodeTests {

	private static final Duration NO_STOP_TIMEOUT = Duration.ofHours(1);

	static Stream<Arguments> places() {
		return Stream.of(Place.values())
			.flatMap((place) -> place.misbehaviours.stream().map((misbehaviour) -> Arguments.of(place, misbehaviour)));
	}

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("places")
	void engineGoesOn(Place place, Misbehaviour misbehaviour) {
		MisbehavingCode code = new MisbehavingCode(misbehaviour);
		HeardNews first = new HeardNews((event) -> {
			if (place.isReachedBy(event)) {
				code.run();
			}
		});
		HeardNews second = new HeardNews((event) -> {
		});
		LockRequestCustomizer customizer = (request) -> place.isCustomizer() ? customize(request, code) : request;
		try (code;
				EngineHealth engine = new EngineHealth(NO_STOP_TIMEOUT, List.of(first, second), List.of(customizer))) {
			place.scene.play(engine, code);

			assertThat(code.calls()).as("misbehaviours").isPositive();
			EngineHealth.until("the other listener receives " + place.news,
					() -> isSubsequence(place.news, second.of(EngineHealth.KEY)));
			engine.assertHealthy();
			if (misbehaviour != Misbehaviour.BLOCKS) {
				EngineHealth.until("the listener receives later events", () -> !first.of("doomed").isEmpty());
			}
			engine.assertStops();
			engine.assertIdle();
			if (misbehaviour == Misbehaviour.BLOCKS && place.isListener()) {
				assertThat(place.isReachedBy(first.last())).as("news come one at a time").isTrue();
			}
		}
	}

	@SuppressWarnings("NullAway") // null is the wrong return value
	private static LockRequest customize(LockRequest request, MisbehavingCode code) {
		if (!request.getKeys().contains(EngineHealth.KEY) || code.isReformed()) {
			return request;
		}
		code.run();
		return (code.misbehaviour() == Misbehaviour.RETURNS_NULL) ? null : request;
	}

	private static boolean isSubsequence(List<String> some, List<String> all) {
		int found = 0;
		for (String event : all) {
			if (found < some.size() && event.equals(some.get(found))) {
				found++;
			}
		}
		return found == some.size();
	}

	/**
	 * A place at which callers' code runs, and the events that lead there.
	 */
	enum Place {

		LISTENER_WAITING(listenerMay(), ListenerScenes::acquire, "waiting"),

		LISTENER_ACQUIRED(listenerMay(), ListenerScenes::acquire, "waiting", "acquired"),

		LISTENER_BUSY(listenerMay(), ListenerScenes::findBusy, "waiting", "busy"),

		LISTENER_UNAVAILABLE(listenerMay(), ListenerScenes::cancel, "waiting", "unavailable"),

		LISTENER_HANDED_OVER(listenerMay(), ListenerScenes::handOver, "waiting", "acquired", "waiting", "handedOver"),

		LISTENER_RENEWED(listenerMay(), ListenerScenes::renew, "waiting", "acquired", "renewed"),

		LISTENER_RELEASED(listenerMay(), ListenerScenes::acquire, "waiting", "acquired", "released"),

		LISTENER_LOST(listenerMay(), ListenerScenes::lose, "waiting", "acquired", "lost"),

		LOSS_LISTENER_OF_A_LEASE(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.BLOCKS), ListenerScenes::loseMany),

		LOSS_LISTENER_OF_A_LEASE_THAT_IS_LOST(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.BLOCKS),
				ListenerScenes::hearLate),

		HANDLER_OF_ACQUIRE_ASYNC(handlerMay(), HandlerScenes::acquireAsync),

		HANDLER_OF_TRY_ACQUIRE_ASYNC(handlerMay(), HandlerScenes::tryAcquireAsync),

		HANDLER_OF_RELEASE_ASYNC(handlerMay(), HandlerScenes::releaseAsync),

		HANDLER_OF_EXECUTE_ASYNC(handlerMay(), HandlerScenes::executeAsync),

		RESULT_OF_ACQUIRE_ASYNC(
				EnumSet.of(Misbehaviour.CANCELS_WHILE_WAITING, Misbehaviour.CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY,
						Misbehaviour.CANCELS_WHEN_COMPLETE, Misbehaviour.COMPLETES_THE_RESULT_ITSELF),
				ResultScenes::acquireAsync),

		RESULT_OF_TRY_ACQUIRE_ASYNC(EnumSet.of(Misbehaviour.CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY,
				Misbehaviour.CANCELS_WHEN_COMPLETE, Misbehaviour.COMPLETES_THE_RESULT_ITSELF),
				ResultScenes::tryAcquireAsync),

		RESULT_OF_RELEASE_ASYNC(EnumSet.of(Misbehaviour.CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY,
				Misbehaviour.CANCELS_WHEN_COMPLETE, Misbehaviour.COMPLETES_THE_RESULT_ITSELF),
				ResultScenes::releaseAsync),

		RESULT_OF_EXECUTE_ASYNC(EnumSet.of(Misbehaviour.CANCELS_WHILE_WAITING,
				Misbehaviour.CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY, Misbehaviour.CANCELS_WHILE_THE_BODY_IS_OPEN,
				Misbehaviour.CANCELS_WHEN_COMPLETE, Misbehaviour.COMPLETES_THE_RESULT_ITSELF),
				ResultScenes::executeAsync),

		BODY_OF_EXECUTE(Misbehaviour.THROWS_ANYTHING, BodyScenes::execute),

		BODY_OF_TRY_EXECUTE(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.RETURNS_NULL), BodyScenes::tryExecute),

		BODY_OF_EXECUTE_ASYNC(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.RETURNS_NULL, Misbehaviour.BLOCKS),
				BodyScenes::executeAsync),

		STAGE_OF_EXECUTE_ASYNC(EnumSet.of(Misbehaviour.NEVER_COMPLETES, Misbehaviour.COMPLETES_WITH_ERROR,
				Misbehaviour.REFUSES_TO_BE_A_FUTURE, Misbehaviour.REFUSES_HANDLERS,
				Misbehaviour.RETURNS_NULL_FOR_HANDLERS), BodyScenes::completeStage),

		CUSTOMIZER(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.RETURNS_NULL), BodyScenes::customize),

		CUSTOMIZER_OF_ASYNC_CALLS(with(Misbehaviour.THROWS_ANYTHING, Misbehaviour.RETURNS_NULL),
				BodyScenes::customizeAsync);

		private final Set<Misbehaviour> misbehaviours;

		private final Scene scene;

		// The events of the key, the last one at this place.
		private final List<String> news;

		Place(Set<Misbehaviour> misbehaviours, Scene scene, String... news) {
			this.misbehaviours = misbehaviours;
			this.scene = scene;
			this.news = Stream.of(news).map((event) -> event + " " + EngineHealth.KEY).toList();
		}

		private static Set<Misbehaviour> listenerMay() {
			return with(Misbehaviour.THROWS, Misbehaviour.BLOCKS);
		}

		private static Set<Misbehaviour> handlerMay() {
			return with(Misbehaviour.THROWS, Misbehaviour.BLOCKS, Misbehaviour.BLOCKS_UNTIL_ANOTHER_LOCK_IS_ACQUIRED);
		}

		private static Set<Misbehaviour> with(Set<Misbehaviour> some, Misbehaviour... others) {
			Set<Misbehaviour> all = EnumSet.copyOf(some);
			all.addAll(List.of(others));
			return all;
		}

		private boolean isListener() {
			return !this.news.isEmpty();
		}

		private boolean isReachedBy(String event) {
			return isListener() && this.news.get(this.news.size() - 1).equals(event);
		}

		private boolean isCustomizer() {
			return name().startsWith("CUSTOMIZER");
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}

	}

	/**
	 * Lets the engine reach a place.
	 */
	@FunctionalInterface
	interface Scene {

		void play(EngineHealth engine, MisbehavingCode code);

	}

}
