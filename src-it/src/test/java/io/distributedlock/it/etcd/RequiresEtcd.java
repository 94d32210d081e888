package io.distributedlock.it.etcd;

import java.io.File;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Needs an {@code etcd} on the PATH, since none comes through Maven. Where there is none
 * the class is skipped, and says so in a line; with {@code CI=true} it fails.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(RequiresEtcd.Condition.class)
public @interface RequiresEtcd {

	/**
	 * Looks for the program.
	 */
	final class Condition implements ExecutionCondition {

		static final String REMEDY = "there is no 'etcd' on the PATH (on Debian: apt-get install etcd-server)";

		/**
		 * Return the program.
		 */
		static Optional<Path> program() {
			return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
				.map((directory) -> Path.of(directory, "etcd"))
				.filter(Files::isExecutable)
				.findFirst();
		}

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			if (program().isPresent()) {
				return ConditionEvaluationResult.enabled("etcd is there");
			}
			if ("true".equals(System.getenv("CI"))) {
				throw new IllegalStateException(REMEDY);
			}
			if (context.getTestMethod().isEmpty()) {
				System.out.println("== " + context.getRequiredTestClass().getName() + ": skipped, " + REMEDY);
			}
			return ConditionEvaluationResult.disabled(REMEDY);
		}

	}

}
