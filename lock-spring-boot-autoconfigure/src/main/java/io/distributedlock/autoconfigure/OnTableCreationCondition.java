package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.sql.autoconfigure.init.OnDatabaseInitializationCondition;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Evaluates the property that determines when to create a table. Spring Boot's own
 * condition accepts the value only as the name of a constant, and does not name the
 * property of an invalid value.
 */
abstract class OnTableCreationCondition extends OnDatabaseInitializationCondition {

	private final String property;

	OnTableCreationCondition(String name, String property) {
		super(name, property);
		this.property = property;
	}

	/**
	 * {@inheritDoc}
	 * @throws BindException if the value of the property is not one of the known ones
	 */
	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Binder.get(context.getEnvironment()).bind(this.property, DatabaseInitializationMode.class);
		return super.getMatchOutcome(context, metadata);
	}

}
