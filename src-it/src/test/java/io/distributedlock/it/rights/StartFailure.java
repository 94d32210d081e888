package io.distributedlock.it.rights;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application that does not start shows.
 */
public final class StartFailure {

	private StartFailure() {
	}

	/**
	 * Return the description of the failure.
	 * @param context the application, which has not started
	 * @return what Spring Boot prints as the description
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
			.findFirst()
			.orElseThrow(() -> new AssertionError("No analyzer explains the failure", context.getStartupFailure()));
	}

}
