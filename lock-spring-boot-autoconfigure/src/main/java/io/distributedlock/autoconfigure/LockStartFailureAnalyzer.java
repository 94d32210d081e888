package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes a {@link LockStartException}.
 */
class LockStartFailureAnalyzer extends AbstractFailureAnalyzer<LockStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStartException cause) {
		return new FailureAnalysis(cause.description(), cause.action(), cause);
	}

}
