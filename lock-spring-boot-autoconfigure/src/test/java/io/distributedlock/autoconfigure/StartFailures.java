package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application that does not start prints.
 */
final class StartFailures {

	private StartFailures() {
	}

	/**
	 * Ask the analyzers that are registered, as Spring Boot does.
	 */
	static FailureAnalysis analyze(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
				// Some need an argument for their constructor that does not matter here.
			}))
			.stream()
			.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Nobody analyzes the failure", context.getStartupFailure()));
	}

}
