package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * A Redis. Present if there is a {@link RedisConnectionFactory} with
 * {@link LockConnectionFactory}, or one that would be injected by type.
 */
class RedisLockStore implements LockStore {

	private static final String NEEDED_CLASS = "org.springframework.data.redis.connection.RedisConnectionFactory";

	private static final String STARTER = "add the dependency 'org.springframework.boot:spring-boot-starter-data-redis',"
			+ " and set 'spring.data.redis.url'";

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(NEEDED_CLASS, beanFactory.getBeanClassLoader())) {
			return Optional.of(new Absence("Spring Data Redis is not on the class path", STARTER));
		}
		if (beanFactory.getBeanNamesForAnnotation(LockConnectionFactory.class).length > 0) {
			return Optional.empty();
		}
		BeanCandidates factories = new BeanCandidates(beanFactory, RedisConnectionFactory.class);
		if (factories.names().isEmpty()) {
			return Optional.of(new Absence("there is no RedisConnectionFactory", STARTER));
		}
		if (factories.isAnyOneMeant()) {
			return Optional.empty();
		}
		return Optional.of(new Absence(
				"there are several RedisConnectionFactories (" + factories.quoted() + ") and none of them is @Primary",
				"mark the RedisConnectionFactory for locks with @LockConnectionFactory, or one as @Primary"));
	}

}
