package io.distributedlock.aop;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.core.PriorityOrdered;

import io.distributedlock.aop.WovenLocks.Home;

/**
 * Registers the beans of this application context with the woven code, each as soon as it
 * exists, and removes the context when it is closed.
 */
class WovenBeans implements InstantiationAwareBeanPostProcessor, PriorityOrdered, DisposableBean {

	private final LockOperationSource operations;

	private final Home home;

	WovenBeans(DistributedLockAdvisor advisor) {
		this.operations = advisor.operations();
		this.home = WovenLocks.open(advisor.interceptor());
	}

	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		if (WeavingDetector.isActive() && this.operations.lockedClass(bean.getClass()).isLocked()) {
			this.home.take(bean);
		}
		return true;
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void destroy() {
		this.home.close();
	}

}
