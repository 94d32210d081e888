package io.distributedlock.it.process;

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
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Needs a program that does not come through Maven. If it is missing the class is
 * skipped, and says so in a line; with {@code CI=true} it fails.
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

		/**
		 * Where servers are, which is not on the PATH of every user.
		 */
		private static final Path SERVERS = Path.of("/usr/sbin");

		/**
		 * Return a program.
		 * @param name its name
		 * @return the program, or empty if it is missing
		 */
		public static Optional<Path> program(String name) {
			Stream<Path> path = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
				.map(Path::of);
			return Stream.concat(path, Stream.of(SERVERS))
				.map((directory) -> directory.resolve(name))
				.filter(Files::isExecutable)
				.findFirst();
		}

		/**
		 * Return what to do where the program is missing.
		 * @param required the program
		 * @return the remedy
		 */
		public static String remedy(RequiresProgram required) {
			return "there is no '" + required.value() + "' on the PATH (on Debian: apt-get install "
					+ required.debianPackage() + ")";
		}

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			RequiresProgram required = AnnotationSupport
				.findAnnotation(context.getRequiredTestClass(), RequiresProgram.class)
				.orElseThrow();
			if (program(required.value()).isPresent()) {
				return ConditionEvaluationResult.enabled(required.value() + " is there");
			}
			String remedy = remedy(required);
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
