package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The memory of this process. It is always present, but excludes no other process, so it
 * must never be chosen by accident.
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
