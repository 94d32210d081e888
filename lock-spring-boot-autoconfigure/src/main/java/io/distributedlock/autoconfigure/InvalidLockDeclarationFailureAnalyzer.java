package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.distributedlock.aop.InvalidLockDeclarationException;

/**
 * Shows what is wrong with an annotated method, which says what to write as well.
 */
class InvalidLockDeclarationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDeclarationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDeclarationException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), null, cause);
	}

}
