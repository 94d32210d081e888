package io.distributedlock.aop;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.annotation.Pointcut;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Weaves the locks of {@link io.distributedlock.DistributedLock} methods into the methods
 * themselves when their classes are loaded. So calls through {@code this}, private, final
 * and static methods, and objects that are not beans, are locked too. Active with
 * AspectJ's agent; not for direct use by applications.
 * <p>
 * Covers annotations on the method, or on a class for its public methods, including
 * annotations composed in up to two levels. Annotations on an interface or on an
 * overridden method are left to proxies.
 * <p>
 * The body never runs without a lease: if there is no application context whose locks
 * apply, not yet or no longer, the call fails.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.distributedlock.aop.DistributedLockAspect, org.springframework.transaction.aspectj.*")
public final class DistributedLockAspect {

	/**
	 * Composed annotations are matched last, and not in common frameworks, because
	 * finding them takes the weaver long.
	 */
	@Pointcut("@annotation(io.distributedlock.DistributedLock) || ("
			+ "!within(org.springframework..*) && !within(org.apache..*) && !within(io.netty..*)"
			+ " && !within(com.fasterxml..*) && !within(org.hibernate..*) && !within(ch.qos..*)"
			+ " && (execution(@(@io.distributedlock.DistributedLock *) * *(..))"
			+ " || execution(@(@(@io.distributedlock.DistributedLock *) *) * *(..))))")
	void annotatedMethod() {
	}

	@Pointcut("execution(public !static * *(..)) && (within(@io.distributedlock.DistributedLock *)"
			+ " || within(@(@io.distributedlock.DistributedLock *) *)"
			+ " || within(@(@(@io.distributedlock.DistributedLock *) *) *))")
	void methodOfAnnotatedType() {
	}

	/**
	 * Run the body of a method under its locks.
	 * @param joinPoint the execution of the method
	 * @return what the method returns
	 * @throws Throwable the exception of the method or of its lock
	 */
	@Around("execution(* *(..)) && (annotatedMethod() || methodOfAnnotatedType())")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodSignature signature = (MethodSignature) joinPoint.getSignature();
		return WovenLocks.call(signature.getMethod(), joinPoint.getThis(), joinPoint.getArgs(), joinPoint::proceed);
	}

}
