package io.distributedlock.contract;

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
 * @since 0.1.0
 */
public abstract class LockBackendContract extends EngineRaceContract {

}
