package io.distributedlock.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Registers ahead of time everything that the locked methods of beans access by
 * reflection.
 */
class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		ConfigurableListableBeanFactory beanFactory = registeredBean.getBeanFactory();
		LockOperationSource operations = new LockOperationSource(new LockOperationFactory(beanFactory));
		LockedClass type = operations.lockedClass(registeredBean.getBeanClass());
		if (!type.isLocked()) {
			return null;
		}
		return (generation, code) -> {
			LockedMethodHints hints = new LockedMethodHints(generation.getRuntimeHints(), beanFactory);
			hints.registerType(type.type());
			type.methods()
				.forEach((method) -> operations.declarations(method, type.type())
					.forEach((declaration) -> hints.registerLock(method, type.type(), declaration)));
		};
	}

}
