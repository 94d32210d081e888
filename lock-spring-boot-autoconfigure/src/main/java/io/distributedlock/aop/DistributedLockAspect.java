package io.distributedlock.aop;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.annotation.Pointcut;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Puts the locks of {@link io.distributedlock.DistributedLock} methods into the methods
 * themselves, as their classes are loaded: so that calls through {@code this}, private,
 * final and static methods and objects that are no beans are locked too. There for those
 * who start with AspectJ's agent; not to be used by applications.
 * <p>
 * Covers annotations, composed ones up to two levels, that are written on the method or
 * on a class, which stands for its public methods. Those that a method has from an
 * interface or from a method that it overrides are left to proxies.
 * <p>
 * The body never runs without a lease: where there is no application context whose locks
 * could be meant, not yet or no more, the call fails.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.distributedlock.aop.DistributedLockAspect, org.springframework.transaction.aspectj.*")
public final class DistributedLockAspect {

	/**
	 * Looked at last, and not in what most of the classes are that have none: a weaver
	 * needs long to find composed annotations.
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
	 * @throws Throwable what the method or its lock throws
	 */
	@Around("execution(* *(..)) && (annotatedMethod() || methodOfAnnotatedType())")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		MethodSignature signature = (MethodSignature) joinPoint.getSignature();
		return WovenLocks.call(signature.getMethod(), joinPoint.getThis(), joinPoint.getArgs(), joinPoint::proceed);
	}

}
