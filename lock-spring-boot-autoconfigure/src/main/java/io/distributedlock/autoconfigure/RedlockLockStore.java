package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Independent Redis nodes. Present if {@code lock.redlock.nodes} lists them or there is a
 * {@link RedlockConnectionDetails}.
 */
class RedlockLockStore implements LockStore {

	private static final String NEEDED_CLASS = "io.lettuce.core.RedisClient";

	@Override
	public String name() {
		return "redlock";
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		boolean configured = isConfigured(beanFactory);
		if (!ClassUtils.isPresent(NEEDED_CLASS, beanFactory.getBeanClassLoader())) {
			return Optional.of(new Absence("Lettuce is not on the class path", "add the dependency"
					+ " 'io.lettuce:lettuce-core'" + (configured ? "" : ", and set 'lock.redlock.nodes'")));
		}
		return configured ? Optional.empty() : Optional.of(new Absence("no nodes are configured",
				"set 'lock.redlock.nodes' to the URLs of an odd number of independent Redis servers"));
	}

	private static boolean isConfigured(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.getBeanNamesForType(RedlockConnectionDetails.class, true, false).length > 0) {
			return true;
		}
		Binder binder = Binder.get(beanFactory.getBean(Environment.class));
		return binder.bind("lock.redlock.nodes", Bindable.listOf(String.class))
			.map((nodes) -> !nodes.isEmpty())
			.orElse(false);
	}

}
