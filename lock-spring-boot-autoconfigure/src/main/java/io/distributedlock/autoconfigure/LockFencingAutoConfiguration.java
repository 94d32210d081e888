package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.fencing.FenceTable;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.fencing.JdbcFencingGuard;

/**
 * Auto-configuration for a {@link FencingGuard} in the application's database. Backs off
 * if the application has a guard of its own, and if it has no database or several.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration" })
@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class,
		TransactionSynchronizationManager.class })
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnMissingBean(FencingGuard.class)
@EnableConfigurationProperties(LockFencingProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class LockFencingAutoConfiguration {

	@Bean
	FenceTable fenceTable(LockFencingProperties properties) {
		return properties.toTable();
	}

	@Bean
	@Conditional(OnFenceTableInitializationCondition.class)
	FenceTableInitializer fenceTableInitializer(DataSource dataSource, LockFencingProperties properties,
			FenceTable table, ObjectProvider<LockProperties> locks) {
		LockProperties settings = locks.getIfAvailable();
		return new FenceTableInitializer(dataSource, properties, table, settings == null || settings.failFast());
	}

	@Bean
	@DependsOnDatabaseInitialization
	JdbcFencingGuard fencingGuard(DataSource dataSource, FenceTable table) {
		return new JdbcFencingGuard(dataSource, table);
	}

	static class OnFenceTableInitializationCondition extends OnTableCreationCondition {

		OnFenceTableInitializationCondition() {
			super("Fencing", "lock.fencing.initialize-schema");
		}

	}

}
