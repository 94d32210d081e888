package io.distributedlock.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.distributedlock.DistributedLock;

/**
 * Registers what annotations and key expressions access by reflection in every
 * application. {@link LockedBeanAotProcessor} registers what they access of its beans.
 */
class LockedMethodRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS)
			.registerType(KeyExpressionRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.proxies().registerJdkProxy(DistributedLock.class);
	}

}
