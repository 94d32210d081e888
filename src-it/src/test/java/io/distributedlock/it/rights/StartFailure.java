package io.distributedlock.it.rights;

import java.util.regex.Pattern;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The failure of an application that does not start.
 */
public final class StartFailure {

	private static final Pattern ADDRESS = Pattern.compile("^(The store '[^']+') at .*?(?= can't keep the locks: )");

	private StartFailure() {
	}

	/**
	 * Return the description of the failure.
	 * @param context the application, which has not started
	 * @return what Spring Boot prints as the description, without the address of the
	 * store, which differs between runs
	 */
	public static String description(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, (type, name, failure) -> {
		})
			.stream()
			.filter((analyzer) -> analyzer.getClass().getName().startsWith("io.distributedlock."))
			.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
			.filter((analysis) -> analysis != null)
			.map(FailureAnalysis::getDescription)
			.map((description) -> ADDRESS.matcher(description).replaceFirst("$1"))
			.findFirst()
			.orElseThrow(() -> new AssertionError("No analyzer explains the failure", context.getStartupFailure()));
	}

}
