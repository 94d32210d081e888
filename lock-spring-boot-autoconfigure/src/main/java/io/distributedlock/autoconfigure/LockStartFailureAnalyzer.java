package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows what a {@link LockStartException} has to say.
 */
class LockStartFailureAnalyzer extends AbstractFailureAnalyzer<LockStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStartException cause) {
		return new FailureAnalysis(cause.description(), cause.action(), cause);
	}

}
