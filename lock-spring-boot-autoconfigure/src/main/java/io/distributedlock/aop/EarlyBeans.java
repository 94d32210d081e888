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
 * Records the beans that are created before there is an auto-proxy creator, because a
 * post-processor needs them. This includes beans that can't be found at the end of
 * startup, such as prototypes and products of factories. They are observed by the very
 * first post-processor, which is not a bean, because beans of its kind are created too
 * late.
 */
class EarlyBeans implements BeanFactoryPostProcessor {

	// A concurrent map of immutable values, because several threads may create beans.
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

		// Set to null once. A thread that sees the change late checks the
		// post-processors once more, so it records no wrong bean.
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
