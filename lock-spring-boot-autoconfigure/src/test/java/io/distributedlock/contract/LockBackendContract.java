package io.distributedlock.contract;

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
 * The race of the store by itself takes {@code -Dlock.test.duration}, 5 s by default, and
 * each of the two under the engine a quarter of that.
 * <p>
 * Each aspect is a class of its own, one above the other: nested classes would be
 * reported under this name, and no longer tell which store has failed.
 *
 * The tests wait more than they work. Where JUnit runs tests in parallel they run side by
 * side, but for the races, which take all processors.
 *
 * @since 0.1.0
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = LockBackendContract.PROCESSORS, mode = ResourceAccessMode.READ,
		target = ResourceLockTarget.CHILDREN)
public abstract class LockBackendContract extends EngineRaceContract {

	static final String PROCESSORS = "processors";

}
