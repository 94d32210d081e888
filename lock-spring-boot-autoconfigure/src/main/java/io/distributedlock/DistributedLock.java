package io.distributedlock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method only while a lease on a distributed lock is held. The lock is acquired
 * before the body, renewed while it runs and released after it. A transaction that the
 * same method declares begins and ends inside the lock.
 * <p>
 * On a class the annotation applies to all public methods. It can be used on interfaces
 * and as a meta-annotation. If a method has several composed annotations, all of them
 * apply: each takes its own lock, in the order of their stores and keys.
 * <p>
 * The body never starts without a lease. It may still be running after its lease was
 * lost, because a thread can't be stopped from outside; {@link #onLost()} determines how
 * the loss is reported. A resource that compares fencing tokens refuses the late writes
 * of such a body.
 * <p>
 * Calls that do not go through the Spring proxy, such as {@code this.method()}, are not
 * intercepted. Use {@link LockTemplate} for them, detect them with
 * {@link LockContext#assertHeld()}, or have them locked by AspectJ's weaving agent.
 * <p>
 * All attributes except the keys may contain <code>${...}</code> placeholders. Durations
 * are written as {@code 500ms}, {@code 30s}, {@code 1h30m} or {@code PT30S}; numbers
 * without a unit are refused. Declarations that can't work are refused at startup, with
 * the method's name.
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
	 * The static part of the key, which becomes {@code name:key}, and the tag of metrics.
	 * Without a {@link #key()} the name is the whole key. Without either, the key is the
	 * qualified class name with the method and its parameter types.
	 * @return the name
	 */
	String name() default "";

	/**
	 * How long the backend keeps the lease without renewal; {@code lock.ttl} by default.
	 * @return the TTL
	 */
	String ttl() default "";

	/**
	 * Upper bound of the time to wait for the lock; zero is one attempt. The default is
	 * {@code lock.wait-time} if a busy lock leads to an exception or the fallback, and
	 * zero if the call is skipped.
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
	 * Renewal stops after this time, and a lease that reaches it is lost. The default is
	 * {@code lock.max-hold}.
	 * @return the maximum hold
	 */
	String maxHold() default "";

	/**
	 * Whether the lease is renewed while the body runs.
	 * @return {@code true} by default
	 */
	boolean renew() default true;

	/**
	 * Whether a backend with strictly growing fencing tokens is required. If so, startup
	 * fails with any other backend.
	 * @return {@code false} by default
	 */
	boolean fenced() default false;

	/**
	 * How the lease shares the key with others. Calls by a scheduler get the tick of
	 * their schedule only if the lock is exclusive, since a tick has a single run:
	 * otherwise each instance makes an ordinary attempt without a wait.
	 * @return {@link LockMode#EXCLUSIVE} by default, {@link LockMode#PERMITS} with
	 * {@link #permits()}
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many calls may hold the key at a time, in the whole cluster; see
	 * {@link LockRequest#permits(int)}. Excludes {@code fenced}, {@code mode} and several
	 * keys.
	 * @return a number, at least one; empty for {@link #mode()}
	 */
	String permits() default "";

	/**
	 * What happens when the lock is busy.
	 * @return what to do
	 */
	OnBusy onBusy() default OnBusy.DEFAULT;

	/**
	 * The name of a method of the same class that is called instead of the body when the
	 * lock is busy, but not when the backend fails. It can have any visibility and needs
	 * a compatible return type. Its parameters are those of the locked method, optionally
	 * followed by a {@link LockBusyException}.
	 * @return the name of the method
	 */
	String fallback() default "";

	/**
	 * What happens when the lease is lost while the body runs.
	 * @return what to do
	 */
	OnLost onLost() default OnLost.THROW;

	/**
	 * The name of the backend in {@code lock.backends}; if empty, the default backend is
	 * used. Startup fails if no backend has this name.
	 * @return the name of the backend
	 */
	String backend() default "";

}
