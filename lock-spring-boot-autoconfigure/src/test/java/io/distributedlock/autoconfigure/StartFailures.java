package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failure analyses of applications that do not start.
 */
final class StartFailures {

	private StartFailures() {
	}

	/**
	 * Call the registered analyzers, like Spring Boot.
	 */
	static FailureAnalysis analyze(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
				// Some constructors need an argument that does not matter here.
			}))
			.stream()
			.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Nobody analyzes the failure", context.getStartupFailure()));
	}

}
