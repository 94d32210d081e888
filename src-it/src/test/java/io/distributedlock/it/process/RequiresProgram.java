package io.distributedlock.it.process;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Needs a program that does not come through Maven. If it is missing, the class is
 * skipped and logs a line; with {@code CI=true} it fails.
 */
@Target({ ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(RequiresProgram.Condition.class)
public @interface RequiresProgram {

	/**
	 * The name of the program.
	 */
	String value();

	/**
	 * The package of Debian that has it.
	 */
	String debianPackage();

	/**
	 * Looks for the program.
	 */
	final class Condition implements ExecutionCondition {

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			RequiresProgram required = AnnotationSupport
				.findAnnotation(context.getRequiredTestClass(), RequiresProgram.class)
				.orElseThrow();
			if (InstalledPrograms.find(required.value()).isPresent()) {
				return ConditionEvaluationResult.enabled(required.value() + " is there");
			}
			String remedy = InstalledPrograms.remedy(required);
			if ("true".equals(System.getenv("CI"))) {
				throw new IllegalStateException(remedy);
			}
			if (context.getTestMethod().isEmpty()) {
				System.out.println("== " + context.getRequiredTestClass().getName() + ": skipped, " + remedy);
			}
			return ConditionEvaluationResult.disabled(remedy);
		}

	}

}
