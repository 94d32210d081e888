package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * A store that may keep the locks, whether it is present or not. Each store is a bean of
 * this type, and its backend is a {@linkplain #backendBeanName() bean} that depends on
 * {@link ConditionalOnLockStore}.
 */
interface LockStore {

	/**
	 * Return the name of the store in {@code lock.backend}.
	 */
	String name();

	/**
	 * Return whether the store is used only if {@code lock.backend} names it.
	 */
	default boolean isUsedOnlyByName() {
		return false;
	}

	/**
	 * Return why the application can't use the store. Creates no bean.
	 */
	Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory);

	/**
	 * Return the name of the store's backend bean.
	 */
	default String backendBeanName() {
		return name() + "LockBackend";
	}

	/**
	 * Why a store is not present.
	 *
	 * @param reason what is missing, as a part of a sentence
	 * @param remedy what to do, as a part of a sentence that begins with a verb
	 */
	record Absence(String reason, String remedy) {
	}

}
