package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

import io.distributedlock.backend.jdbc.JdbcLockBackend;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.TableCreation;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Configures locks in a table of the database of a {@link DataSource}.
 */
@Configuration(proxyBeanMethods = false)
class JdbcLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	JdbcLockStore jdbcLockStore() {
		return new JdbcLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(DataSourceScriptDatabaseInitializer.class)
	@ConditionalOnLockStore(JdbcLockStore.class)
	@EnableConfigurationProperties(LockJdbcProperties.class)
	@Import(DatabaseInitializationDependencyConfigurer.class)
	static class BackendConfiguration {

		@Bean
		LockDatabase lockDatabase(@LockDataSource ObjectProvider<DataSource> dedicated,
				ObjectProvider<DataSource> shared) {
			return LockDatabase.choose(dedicated, shared);
		}

		@Bean
		JdbcLockSettings jdbcLockSettings(LockProperties properties, LockJdbcProperties jdbcProperties,
				InstanceId instanceId) {
			return jdbcProperties.toSettings(properties, instanceId);
		}

		@Bean
		@Conditional(OnLockDatabaseInitializationCondition.class)
		JdbcLockSchemaInitializer jdbcLockSchemaInitializer(LockDatabase database, LockJdbcProperties properties,
				JdbcLockSettings settings, LockProperties lockProperties) {
			return new JdbcLockSchemaInitializer(database.dataSource(), properties, settings,
					lockProperties.failFast());
		}

		@Bean
		@Fallback
		@DependsOnDatabaseInitialization
		@ConditionalOnMissingBean(name = "jdbcLockBackend")
		LockBackend jdbcLockBackend(LockDatabase database, JdbcLockSettings settings, LockClock clock,
				ObjectProvider<JdbcLockSchemaInitializer> initializer) {
			TableCreation tables = initializer.getIfAvailable();
			return new JdbcLockBackend(database.dataSource(), settings, clock,
					(tables != null) ? tables : TableCreation.NONE);
		}

	}

	static class OnLockDatabaseInitializationCondition extends OnTableCreationCondition {

		OnLockDatabaseInitializationCondition() {
			super("Locks", "lock.jdbc.initialize-schema");
		}

	}

}
