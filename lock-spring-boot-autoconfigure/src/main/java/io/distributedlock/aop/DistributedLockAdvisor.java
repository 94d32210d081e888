package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.function.SingletonSupplier;

import io.distributedlock.DistributedLock;
import io.distributedlock.spi.Scopes;

/**
 * Applies the lock to the methods that declare one. Auto-proxy creators create it before
 * all other beans, so it looks up its collaborators at the first call.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The order of this advisor among those of a method: outside of transactions, as long
	 * as these have their default order ({@link Ordered#LOWEST_PRECEDENCE}). An advisor
	 * with a lower number is outside of the lock. Asynchronous execution is an exception,
	 * because Spring adds its advisor regardless of this order.
	 */
	public static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LockOperationSource operations;

	private final transient Pointcut pointcut;

	private final transient DistributedLockInterceptor advice;

	DistributedLockAdvisor(ConfigurableBeanFactory beanFactory) {
		Supplier<Scopes> scopes = SingletonSupplier.of(() -> beanFactory.getBean(Scopes.class));
		this.operations = new LockOperationSource(new LockOperationFactory(beanFactory));
		this.pointcut = new LockedMethods(this.operations);
		this.advice = new DistributedLockInterceptor(this.operations, scopes, SingletonSupplier.of(() -> {
			MissedTickListener listener = beanFactory.getBeanProvider(MissedTickListener.class)
				.getIfAvailable(() -> (request) -> {
				});
			return new TickScopeOpener(scopes.get(), listener);
		}));
		setOrder(ORDER);
	}

	LockOperationSource operations() {
		return this.operations;
	}

	DistributedLockInterceptor interceptor() {
		return this.advice;
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * The methods that declare a lock.
	 */
	private static final class LockedMethods extends StaticMethodMatcherPointcut {

		private final LockOperationSource operations;

		LockedMethods(LockOperationSource operations) {
			this.operations = operations;
			setClassFilter((candidate) -> AnnotationUtils.isCandidateClass(candidate, DistributedLock.class));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.operations.isLocked(method, targetClass) && !isLeftToWeaving(method, targetClass);
		}

		/**
		 * A woven method that no proxy can intercept does not require a proxy.
		 */
		private boolean isLeftToWeaving(Method method, Class<?> targetClass) {
			return !LockedClass.isInterceptable(method, targetClass) && this.operations.isWoven(method, targetClass);
		}

	}

}
