package io.distributedlock.sample.outage;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.stereotype.Component;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockBackend;

/**
 * Switches the store of the locks off and on for this instance alone. Puts a decorator in
 * front of every store, as an application can do for tracing or for tests.
 */
@Component
public class StoreSwitch implements BeanPostProcessor {

	private volatile boolean away;

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof LockBackend backend) ? new SwitchedBackend(backend, this) : bean;
	}

	/**
	 * Return whether calls of this instance fail.
	 * @return whether the store is away
	 */
	public boolean isAway() {
		return this.away;
	}

	void setAway(boolean away) {
		this.away = away;
	}

	LockUnavailableException failure() {
		return new LockUnavailableException("The store was taken away from this instance; bring it back on its page");
	}

}
