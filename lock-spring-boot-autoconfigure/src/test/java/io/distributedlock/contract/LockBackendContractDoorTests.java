package io.distributedlock.contract;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.BrokenStore.Decorator;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the contract detects stores that keep the door of a group open or closed at
 * the wrong time.
 */
class LockBackendContractDoorTests {

	@Test
	void doorThatIsNeverClosedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			protected Contender contender(LockTarget target, Contender contender) {
				return target.isGroup() ? super.contender(target, contender) : new Contender() {

					@Override
					public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
						return contender
							.attempt(LockBackendContractGroupTests.change(request, request.ownerId(), 0, false));
					}

					@Override
					public void withdraw() {
						contender.withdraw();
					}

				};
			}

		}, "waitingWriterClosesTheDoorToNewMembers", "membersThatOverlapDoNotKeepAWriterOut",
				"writerThatIsWokenByTheEndOfTheGroupComesBeforeNewMembers");
	}

	@Test
	void doorThatAWriterClosesWithoutWaitingIsFoundOut() {
		assertFoundOut(
				LockBackendContractGroupTests.requests((target, request) -> target.isGroup() ? request
						: LockBackendContractGroupTests.change(request, request.ownerId(), 0, true)),
				"writerThatDoesNotWaitClosesNothing");
	}

	@Test
	void doorThatTheWithdrawalLeavesClosedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			protected Contender contender(LockTarget target, Contender contender) {
				return target.isGroup() ? super.contender(target, contender) : new Contender() {

					@Override
					public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
						return contender.attempt(request);
					}

					@Override
					public void withdraw() {
					}

				};
			}

		}, "withdrawalOfTheWriterOpensTheDoor");
	}

	@Test
	void doorThatTheGrantLeavesClosedIsFoundOut() {
		Doors doors = new Doors();
		assertFoundOut(doors.closing((outcome, before) -> outcome instanceof AttemptOutcome.Busy || before),
				"grantToTheWriterOpensTheDoor", "grantToOneWriterOpensTheDoorThatAnotherOneHadClosedToo");
	}

	@Test
	void doorThatNeverOpensByItselfIsFoundOut() {
		Doors doors = new Doors();
		assertFoundOut(doors.closing((outcome, before) -> outcome instanceof AttemptOutcome.Busy),
				"doorOfAWriterThatNeverReturnsOpensByItself",
				"doorThatAWriterHasLeftClosedOpensSoonAfterTheEndOfTheGroup",
				"writerThatMeetsAnotherWriterClosesNothing");
	}

	private static void assertFoundOut(Decorator decorator, String... tests) {
		assertThat(BrokenStore.failures(decorator, tests)).containsExactlyInAnyOrder(tests);
	}

	/**
	 * Doors that outcomes of waiting writers close and open, and nothing else.
	 */
	private static final class Doors {

		private final Map<String, Boolean> closed = new ConcurrentHashMap<>();

		private Decorator closing(Rule rule) {
			return (client, clock) -> new WithDoors(client, this.closed, rule);
		}

	}

	/**
	 * A client that is refused by closed doors.
	 */
	private static final class WithDoors extends CutOffBackend {

		private final Map<String, Boolean> closed;

		private final Rule rule;

		WithDoors(LockBackend delegate, Map<String, Boolean> closed, Rule rule) {
			super(delegate);
			this.closed = closed;
			this.rule = rule;
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			boolean before = this.closed.getOrDefault(target.key(), false);
			if (target.isGroup() && before) {
				return CompletableFuture.completedFuture(new AttemptOutcome.Busy(null, Duration.ofSeconds(1)));
			}
			return super.attempt(target, request, attempt).thenApply((outcome) -> {
				if (!target.isGroup() && request.waiting()) {
					this.closed.put(target.key(), this.rule.isClosed(outcome, before));
				}
				return outcome;
			});
		}

	}

	/**
	 * Returns whether the door is closed after an attempt of a waiting writer.
	 */
	private interface Rule {

		boolean isClosed(AttemptOutcome outcome, boolean before);

	}

}
