package io.distributedlock.aop;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Looks for locked beans in parent and child contexts. A context proxies only its own
 * beans, so annotated beans of a context without locks would run without one.
 */
class RelatedContexts implements ApplicationListener<ContextRefreshedEvent> {

	private final ApplicationContext context;

	private final LockOperationSource operations;

	private final UnlockedBeans unlocked;

	RelatedContexts(ApplicationContext context, LockOperationSource operations, UnlockedBeans unlocked) {
		this.context = context;
		this.operations = operations;
		this.unlocked = unlocked;
	}

	/**
	 * The events of a context also reach the listeners of its parents.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext refreshed = event.getApplicationContext();
		if (refreshed != this.context) {
			check(refreshed);
			return;
		}
		for (ApplicationContext parent = refreshed.getParent(); parent != null; parent = parent.getParent()) {
			check(parent);
		}
	}

	private void check(ApplicationContext other) {
		if (!(other instanceof ConfigurableApplicationContext configurable)) {
			return;
		}
		ConfigurableListableBeanFactory beans = configurable.getBeanFactory();
		if (beans.getBeanNamesForType(LockedBeanValidator.class, true, false).length > 0) {
			return;
		}
		Set<String> names = new LinkedHashSet<>(Arrays.asList(beans.getBeanDefinitionNames()));
		names.addAll(Arrays.asList(beans.getSingletonNames()));
		for (String name : names) {
			check(other, beans, name);
		}
	}

	private void check(ApplicationContext other, ConfigurableListableBeanFactory beans, String name) {
		Object instance = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
		Class<?> type = (instance != null && !(instance instanceof FactoryBean))
				? AopProxyUtils.ultimateTargetClass(instance) : beans.getType(name, false);
		LockedClass locked = this.operations.lockedClass((type != null) ? type : Object.class);
		if (locked.needsProxy() && !isLocked(instance)) {
			this.unlocked.report(name, locked,
					"is in the application context '" + other.getDisplayName()
							+ "', which has no locks of its own: its methods run WITHOUT a lock. Add"
							+ " @Import(DistributedLockAopConfiguration.class) to that context, or move the bean");
		}
	}

	private static boolean isLocked(@Nullable Object instance) {
		return instance instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance);
	}

}
