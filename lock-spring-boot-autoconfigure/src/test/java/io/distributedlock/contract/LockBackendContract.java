package io.distributedlock.contract;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;

/**
 * The tests that every store has to pass. The first parts test the store itself; parts
 * with names that begin with {@code Engine} test it under the engine. For each store a
 * subclass provides clients and time.
 * <p>
 * Each of the two races of the store itself takes {@code -Dlock.test.duration}, 2 s by
 * default, and each of the two races under the engine takes a quarter of that. Tests of a
 * mode are skipped if the traits of the store do not offer it.
 * <p>
 * Each aspect is a class of its own in a chain of superclasses. Nested classes would be
 * reported under the name of this class, which does not show the failed store.
 * <p>
 * The tests mostly wait. If JUnit runs tests in parallel they run side by side, except
 * for the races, which use all processors and run first: a race in between would wait
 * until all other tests have ended, and keep further tests from beginning.
 *
 * @since 0.1.0
 */
@Tag("contract")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = LockBackendContract.PROCESSORS, mode = ResourceAccessMode.READ,
		target = ResourceLockTarget.CHILDREN)
public abstract class LockBackendContract extends EngineRaceContract {

	static final String PROCESSORS = "processors";

	/**
	 * The order of tests that run alone.
	 */
	static final int ALONE = 1;

	/**
	 * The tag of tests that find more faults the longer they run.
	 */
	public static final String HISTORIES = "histories";

}
