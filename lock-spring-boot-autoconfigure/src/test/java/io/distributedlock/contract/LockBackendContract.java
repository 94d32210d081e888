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
 * What every store has to show: by itself in the first parts, and under the engine in
 * those whose names begin so. A store passes by a subclass that gives it clients and
 * time.
 * <p>
 * The race of the store by itself takes {@code -Dlock.test.duration}, 2 s by default, and
 * each of the two under the engine a quarter of that.
 * <p>
 * Each aspect is a class of its own, one above the other: nested classes would be
 * reported under this name, and no longer tell which store has failed.
 * <p>
 * The tests wait more than they work. Where JUnit runs tests in parallel they run side by
 * side, but for the races, which take all processors and come first: a race in the midst
 * would wait until all others have ended, and keep further ones from beginning.
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
	 * The place of tests that run alone.
	 */
	static final int ALONE = 1;

	/**
	 * The tag of tests that find more the longer they run.
	 */
	public static final String HISTORIES = "histories";

}
