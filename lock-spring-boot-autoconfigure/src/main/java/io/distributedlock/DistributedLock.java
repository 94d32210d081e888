package io.distributedlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method only while a lease on a distributed lock is held: the lock is acquired
 * before the body, renewed while it runs and released after it, outside a transaction
 * that the same method declares. On a class it applies to all public methods; it may be
 * used as a meta-annotation, and on interfaces. Several annotations of one's own on the
 * same method all apply, each by a lock of its own, in the order of the keys.
 * <p>
 * The body never runs without a lease. It may go on after its lease was lost (nobody can
 * stop a thread), which {@link #onLost()} tells; a resource that compares fencing tokens
 * refuses what such a body writes. Calls that do not go through the Spring proxy, such as
 * {@code this.method()}, are not intercepted: use {@link LockTemplate} there, or
 * {@link LockContext#assertHeld()} to notice, or AspectJ's agent to have them locked.
 * <p>
 * All attributes but the keys may contain <code>${...}</code> placeholders. Durations are
 * written {@code 500ms}, {@code 30s}, {@code 1h30m} or {@code PT30S}; bare numbers are
 * refused. Whatever can't work is refused at start-up, with the method's name.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return the expressions of the keys
	 */
	@AliasFor("key")
	String[] value() default {};

	/**
	 * Spring expressions of the keys to lock, for example {@code "#orderId"} or
	 * {@code "'fixed'"}. The root object has {@code method}, {@code args}, {@code target}
	 * and {@code targetClass}; parameters are variables by name and as {@code #p0} or
	 * {@code #a0}; beans are reached as {@code @name}.
	 * @return the expressions of the keys
	 */
	@AliasFor("value")
	String[] key() default {};

	/**
	 * The static part of the key, put before it as {@code name:key}, and the tag of
	 * metrics. Alone it is the whole key. Without a name and a key the key is the
	 * qualified name of the class with the method and its parameter types.
	 * @return the name
	 */
	String name() default "";

	/**
	 * How long the backend keeps the lease without renewal; {@code lock.ttl} by default.
	 * @return the ttl
	 */
	String ttl() default "";

	/**
	 * Upper bound of the time to wait for the lock; zero is one attempt. By default
	 * {@code lock.wait-time} where a busy lock throws or falls back, and zero where it
	 * skips.
	 * @return the wait time
	 */
	String waitTime() default "";

	/**
	 * The lock stays taken at least this long after acquisition, even if the body ends
	 * sooner.
	 * @return the minimum hold
	 */
	String minHold() default "";

	/**
	 * Renewal stops after this time; reaching it is a loss. {@code lock.max-hold} by
	 * default.
	 * @return the maximum hold
	 */
	String maxHold() default "";

	/**
	 * Whether the lease is renewed while the body runs.
	 * @return {@code true} by default
	 */
	boolean renew() default true;

	/**
	 * Demands a backend whose fencing tokens grow strictly; the start fails on any other.
	 * @return {@code false} by default
	 */
	boolean fenced() default false;

	/**
	 * How the lease shares the key with others.
	 * @return {@link LockMode#EXCLUSIVE} by default
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * What happens when the lock is busy.
	 * @return what to do
	 */
	OnBusy onBusy() default OnBusy.DEFAULT;

	/**
	 * The name of a method of the same class that is called instead of the body when the
	 * lock is busy, never for a fault: of any visibility, with the same parameters or
	 * those and a last {@link LockBusyException}, and a fitting return type.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * What happens when the lease is lost while the body runs.
	 * @return what to do
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * One of several configured backends, by its name in {@code lock.backends}; the
	 * default one if empty. The start fails where there is none of this name.
	 * @return the name of the backend
	 */
	String backend() default "";

}
