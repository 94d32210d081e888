package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Optional;

import io.etcd.jetcd.Client;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * An etcd. Present if there is a {@link Client} that would be injected by type, or if
 * there is no {@link Client} and its members are configured.
 */
class EtcdLockStore implements LockStore {

	private static final String NEEDED_CLASS = "io.etcd.jetcd.Client";

	private static final String ENDPOINTS = "lock.etcd.endpoints";

	private static final String DEPENDENCY = "add the dependency 'io.etcd:jetcd-core', and set '" + ENDPOINTS + "'";

	@Override
	public String name() {
		return "etcd";
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(NEEDED_CLASS, beanFactory.getBeanClassLoader())) {
			return Optional.of(new Absence("jetcd is not on the class path", DEPENDENCY));
		}
		BeanCandidates clients = new BeanCandidates(beanFactory, Client.class);
		if (clients.names().isEmpty()) {
			return areMembersKnown(beanFactory) ? Optional.empty()
					: Optional.of(new Absence("there is neither a jetcd Client nor '" + ENDPOINTS + "'",
							"set '" + ENDPOINTS + "', or declare a bean of type " + NEEDED_CLASS));
		}
		if (clients.isAnyOneMeant()) {
			return Optional.empty();
		}
		return Optional
			.of(new Absence("there are several jetcd Clients (" + clients.quoted() + ") and none of them is @Primary",
					"mark one of the jetcd Clients as @Primary"));
	}

	private static boolean areMembersKnown(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.getBeanNamesForType(EtcdConnectionDetails.class, true, false).length > 0
				|| !Binder.get(beanFactory.getBean(Environment.class))
					.bind(ENDPOINTS, Bindable.listOf(String.class))
					.orElseGet(List::of)
					.isEmpty();
	}

}
