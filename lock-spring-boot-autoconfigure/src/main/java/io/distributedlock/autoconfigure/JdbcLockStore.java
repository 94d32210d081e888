package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * A database, which is there when its {@link DataSource} is: one with
 * {@link LockDataSource}, or one that can be meant when none is named.
 */
class JdbcLockStore implements LockStore {

	private static final String NEEDED_CLASS = "org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer";

	private static final String STARTER = "add the dependency 'org.springframework.boot:spring-boot-starter-jdbc' and"
			+ " the driver of the database, and set 'spring.datasource.url'";

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public Optional<Absence> absence(ConfigurableListableBeanFactory beanFactory) {
		if (!ClassUtils.isPresent(NEEDED_CLASS, beanFactory.getBeanClassLoader())) {
			return Optional.of(new Absence("Spring Boot's JDBC support is not on the class path", STARTER));
		}
		List<String> dataSources = candidates(beanFactory, (definition) -> true);
		if (beanFactory.getBeanNamesForAnnotation(LockDataSource.class).length > 0) {
			return Optional.empty();
		}
		if (dataSources.isEmpty()) {
			return Optional.of(new Absence("there is no DataSource", STARTER));
		}
		if (isAnyOneMeant(beanFactory, dataSources)) {
			return Optional.empty();
		}
		String names = dataSources.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
		return Optional.of(new Absence("there are several DataSources (" + names + ") and none of them is @Primary",
				"mark the DataSource for locks with @LockDataSource, or one as @Primary"));
	}

	private static boolean isAnyOneMeant(ConfigurableListableBeanFactory beanFactory, List<String> dataSources) {
		return dataSources.size() == 1 || candidates(beanFactory, BeanDefinition::isPrimary).size() == 1
				|| candidates(beanFactory, (definition) -> !definition.isFallback()).size() == 1;
	}

	private static List<String> candidates(ConfigurableListableBeanFactory beanFactory,
			Predicate<BeanDefinition> wanted) {
		return Arrays.stream(beanFactory.getBeanNamesForType(DataSource.class, true, false))
			.filter((name) -> isCandidate(beanFactory, name, wanted))
			.toList();
	}

	private static boolean isCandidate(ConfigurableListableBeanFactory beanFactory, String name,
			Predicate<BeanDefinition> wanted) {
		if (!beanFactory.containsBeanDefinition(name)) {
			return true;
		}
		BeanDefinition definition = beanFactory.getMergedBeanDefinition(name);
		boolean injectable = definition.isAutowireCandidate()
				&& !(definition instanceof AbstractBeanDefinition details && !details.isDefaultCandidate());
		return injectable && wanted.test(definition);
	}

}
