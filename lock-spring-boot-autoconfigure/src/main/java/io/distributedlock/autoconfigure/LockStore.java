package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * A store that may keep the locks, whether it is there or not. Each store contributes one
 * as a bean, and its backend as a {@linkplain #backendBeanName() bean} that depends on
 * {@link ConditionalOnLockStore}.
 */
interface LockStore {

	/**
	 * Return the name by which {@code lock.backend} knows the store.
	 */
	String name();

	/**
	 * Return whether the store is used only where {@code lock.backend} names it.
	 */
	default boolean isUsedOnlyByName() {
		return false;
	}

	/**
	 * Return what keeps the application from using the store, without making any bean.
	 */
	Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory);

	/**
	 * Return the name of the bean that is the store's backend.
	 */
	default String backendBeanName() {
		return name() + "LockBackend";
	}

	/**
	 * Why a store is not there.
	 *
	 * @param reason what is missing, as a part of a sentence
	 * @param remedy what to do, as a part of a sentence that begins with a verb
	 */
	record Absence(String reason, String remedy) {
	}

}
