package io.distributedlock.aop;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Reports beans whose locked methods would run without a lock. Fails the startup if
 * {@link LockAnnotationSettings#strict()} is set, and warns once otherwise.
 */
class UnlockedBeans {

	private static final Logger logger = LoggerFactory.getLogger(UnlockedBeans.class);

	private final ConfigurableListableBeanFactory beanFactory;

	// The warnings so far. Concurrent, because several threads may create beans.
	private final Set<String> warnings = ConcurrentHashMap.newKeySet();

	UnlockedBeans(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Report a bean.
	 * @param reason why it has no lock and what to do, as the continuation of a sentence
	 * about the bean
	 * @throws InvalidLockDeclarationException if the settings are strict
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
	 * Log a warning once.
	 */
	void warnOnce(String message) {
		if (this.warnings.add(message)) {
			logger.warn(message);
		}
	}

}
