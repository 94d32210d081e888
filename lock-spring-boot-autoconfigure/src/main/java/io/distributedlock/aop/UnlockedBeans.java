package io.distributedlock.aop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Reports beans whose locked methods would run without a lock: refuses the start if
 * {@link LockAnnotationSettings#strict()} says so, and warns once otherwise.
 */
class UnlockedBeans {

	private static final Logger logger = LoggerFactory.getLogger(UnlockedBeans.class);

	private final ConfigurableListableBeanFactory beanFactory;

	// Concurrent: beans may be created by several threads. What has been warned of once.
	private final Set<String> warnings = ConcurrentHashMap.newKeySet();

	UnlockedBeans(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Report a bean.
	 * @param reason why it has no lock, and what to do; goes on from the bean
	 * @throws InvalidLockDeclarationException if the start is strict
	 */
	void report(String beanName, LockedClass type, String reason) {
		LockAnnotationSettings settings = this.beanFactory.getBeanProvider(LockAnnotationSettings.class)
			.getIfAvailable(() -> LockAnnotationSettings.DEFAULTS);
		if (settings.strict()) {
			throw new InvalidLockDeclarationException(type.methodsThatNeedAProxy().get(0), type.type(), null,
					"the bean " + reason)
				.ofBean(beanName);
		}
		warnOnce("The bean '" + beanName + "' has @DistributedLock methods, but " + reason);
	}

	/**
	 * Warn of something the first time that it is found.
	 */
	void warnOnce(String message) {
		if (this.warnings.add(message)) {
			logger.warn(message);
		}
	}

}
