package io.distributedlock.engine;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Kinds of misbehaviour of code that the engine calls. This enum throws the exceptions;
 * the calling code implements the rest.
 */
enum Misbehaviour {

	THROWS_RUNTIME_EXCEPTION(() -> new IllegalStateException("simulated")),

	/**
	 * Possible in other JVM languages, and in Java with generics.
	 */
	THROWS_UNDECLARED_EXCEPTION(() -> new IOException("simulated")),

	THROWS_ASSERTION_ERROR(() -> new AssertionError("simulated")),

	THROWS_OUT_OF_MEMORY_ERROR(() -> new OutOfMemoryError("simulated")),

	OVERFLOWS_THE_STACK(Misbehaviour::overflow),

	/**
	 * Blocks until the end of the test.
	 */
	BLOCKS,

	BLOCKS_UNTIL_ANOTHER_LOCK_IS_ACQUIRED,

	RETURNS_NULL,

	// Results that a caller cancels.

	CANCELS_WHILE_WAITING,

	CANCELS_WHILE_THE_ANSWER_IS_UNDER_WAY,

	CANCELS_WHILE_THE_BODY_IS_OPEN,

	CANCELS_WHEN_COMPLETE,

	COMPLETES_THE_RESULT_ITSELF,

	// Stages that bodies and drivers return.

	NEVER_COMPLETES,

	COMPLETES_WITH_NULL,

	COMPLETES_WITH_ERROR,

	COMPLETES_TWICE,

	/**
	 * The stage's {@code toCompletableFuture()} throws, as its contract allows.
	 */
	REFUSES_TO_BE_A_FUTURE,

	/**
	 * The stage's {@code whenComplete()} throws.
	 */
	REFUSES_HANDLERS,

	/**
	 * The stage's {@code whenComplete()} accepts the handler and returns null.
	 */
	RETURNS_NULL_FOR_HANDLERS,

	// Answers of a driver.

	ANSWERS_TOO_FEW,

	ANSWERS_NULL_FOR_EACH,

	WAKES_UP_THE_WAITER;

	/**
	 * One of each kind of throwable.
	 */
	static final Set<Misbehaviour> THROWS = EnumSet.range(THROWS_RUNTIME_EXCEPTION, THROWS_ASSERTION_ERROR);

	/**
	 * One of each kind of throwable, and errors that the JVM itself throws.
	 */
	static final Set<Misbehaviour> THROWS_ANYTHING = EnumSet.range(THROWS_RUNTIME_EXCEPTION, OVERFLOWS_THE_STACK);

	private final @Nullable Supplier<Throwable> thrown;

	Misbehaviour() {
		this(null);
	}

	Misbehaviour(@Nullable Supplier<Throwable> thrown) {
		this.thrown = thrown;
	}

	/**
	 * Throw what this misbehaviour throws, if it does.
	 */
	void throwIt() {
		if (this.thrown != null) {
			Misbehaviour.<RuntimeException>throwUndeclared(this.thrown.get());
		}
	}

	private static Throwable overflow() {
		try {
			return new AssertionError("No overflow at depth " + recurse(0));
		}
		catch (StackOverflowError ex) {
			// Keeps a thousand frames out of each log.
			ex.setStackTrace(Arrays.copyOf(ex.getStackTrace(), 1));
			return ex;
		}
	}

	@SuppressWarnings("InfiniteRecursion") // intended
	private static int recurse(int depth) {
		return recurse(depth + 1) + 1;
	}

	@SuppressWarnings("unchecked")
	private static <X extends Throwable> void throwUndeclared(Throwable thrown) throws X {
		throw (X) thrown;
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
