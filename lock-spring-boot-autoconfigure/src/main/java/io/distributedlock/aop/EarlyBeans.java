package io.distributedlock.aop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

import io.distributedlock.DistributedLock;

/**
 * Remembers the beans that are made before there is an auto-proxy creator, because a post
 * processor needs them: those too that nobody finds at the end of the start, as
 * prototypes and what factories make. What looks at them is the first post-processor of
 * all, and no bean: beans of its kind come too late.
 */
class EarlyBeans implements BeanFactoryPostProcessor {

	// A concurrent map of immutable values: beans may be created by several threads.
	private final Map<String, Class<?>> types = new ConcurrentHashMap<>();

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory instanceof AbstractBeanFactory factory) {
			factory.addBeanPostProcessor(new Watch(factory));
		}
	}

	/**
	 * Return the types of the beans by their names.
	 */
	Map<String, Class<?>> types() {
		return Map.copyOf(this.types);
	}

	private final class Watch implements BeanPostProcessor {

		// Set once, to null; a thread that sees it late remembers nothing wrong.
		private volatile @Nullable AbstractBeanFactory starting;

		Watch(AbstractBeanFactory beanFactory) {
			this.starting = beanFactory;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			AbstractBeanFactory factory = this.starting;
			if (factory != null) {
				if (factory.getBeanPostProcessors().stream().anyMatch(AbstractAutoProxyCreator.class::isInstance)) {
					this.starting = null;
				}
				else if (AnnotationUtils.isCandidateClass(bean.getClass(), DistributedLock.class)) {
					EarlyBeans.this.types.put(beanName, AopProxyUtils.ultimateTargetClass(bean));
				}
			}
			return bean;
		}

	}

}
