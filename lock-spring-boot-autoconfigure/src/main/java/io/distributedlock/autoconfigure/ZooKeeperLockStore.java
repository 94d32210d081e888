package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A ZooKeeper. Present if there is a {@link CuratorFramework} that would be injected by
 * type, or if there is no {@link CuratorFramework} and its servers are configured.
 */
class ZooKeeperLockStore implements LockStore {

	private static final String NEEDED_CLASS = "org.apache.curator.framework.CuratorFramework";

	private static final String DEPENDENCY = "add the dependency"
			+ " 'org.springframework.integration:spring-integration-zookeeper', and set 'lock.zookeeper.connect-string'";

	private static final String CONNECT_STRING = "lock.zookeeper.connect-string";

	@Override
	public String name() {
		return "zookeeper";
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(NEEDED_CLASS, beanFactory.getBeanClassLoader())) {
			return Optional.of(new Absence("Curator is not on the class path", DEPENDENCY));
		}
		BeanCandidates clients = new BeanCandidates(beanFactory, CuratorFramework.class);
		if (clients.names().isEmpty()) {
			return areServersKnown(beanFactory) ? Optional.empty() : Optional
				.of(new Absence("there is neither a CuratorFramework nor '" + CONNECT_STRING + "'", DEPENDENCY));
		}
		if (clients.isAnyOneMeant()) {
			return Optional.empty();
		}
		return Optional.of(new Absence(
				"there are several CuratorFrameworks (" + clients.quoted() + ") and none of them is @Primary",
				"mark one of the CuratorFrameworks as @Primary"));
	}

	private static boolean areServersKnown(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.getBeanNamesForType(ZooKeeperConnectionDetails.class, true, false).length > 0
				|| StringUtils.hasText(beanFactory.getBean(Environment.class).getProperty(CONNECT_STRING));
	}

}
