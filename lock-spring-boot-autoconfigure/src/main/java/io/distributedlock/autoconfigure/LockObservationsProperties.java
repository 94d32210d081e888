package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the observations and meters of the locks.
 *
 * @param enabled Whether acquisitions and holds are observed and meters are registered.
 * @param maxNames Greatest number of lock names that appear in tags. Further ones share
 * the tag 'other'.
 */
@ConfigurationProperties("lock.observations")
record LockObservationsProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("100") int maxNames) implements InitializingBean {

	@Override
	public void afterPropertiesSet() {
		if (this.maxNames < 0) {
			throw new InvalidConfigurationPropertyValueException("lock.observations.max-names", this.maxNames,
					"It must not be negative; 0 gives all names the tag 'other'.");
		}
	}

}
