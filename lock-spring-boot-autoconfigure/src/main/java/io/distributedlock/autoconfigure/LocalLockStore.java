package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The memory of this process. It is always there, but locks nobody else out, so that
 * nobody is to get it by accident.
 */
class LocalLockStore implements LockStore {

	@Override
	public String name() {
		return "local";
	}

	@Override
	public boolean isUsedOnlyByName() {
		return true;
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		return Optional.empty();
	}

}
