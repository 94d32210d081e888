package io.distributedlock.autoconfigure;

import java.util.Optional;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * A database. Present if there is a {@link DataSource} with {@link LockDataSource}, or
 * one that would be injected by type.
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
		if (beanFactory.getBeanNamesForAnnotation(LockDataSource.class).length > 0) {
			return Optional.empty();
		}
		BeanCandidates dataSources = new BeanCandidates(beanFactory, DataSource.class);
		if (dataSources.names().isEmpty()) {
			return Optional.of(new Absence("there is no DataSource", STARTER));
		}
		if (dataSources.isAnyOneMeant()) {
			return Optional.empty();
		}
		return Optional
			.of(new Absence("there are several DataSources (" + dataSources.quoted() + ") and none of them is @Primary",
					"mark the DataSource for locks with @LockDataSource, or one as @Primary"));
	}

}
