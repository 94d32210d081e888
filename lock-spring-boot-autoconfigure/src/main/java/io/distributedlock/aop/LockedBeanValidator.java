package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.distributedlock.LockMode;

/**
 * Checks the locked methods of all beans at startup: each bean before its first use, and
 * at the end also beans that exist only as a definition.
 */
class LockedBeanValidator implements BeanPostProcessor, SmartInitializingSingleton {

	private static final String MADE_EARLY = "was made before it could be proxied, or outside of the container: its"
			+ " methods run WITHOUT a lock. Declare the @Bean methods of post-processors static, and let no"
			+ " post-processor depend on the bean";

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockOperationSource operations;

	private final EarlyBeans earlyBeans;

	private final UnlockedBeans unlocked;

	LockedBeanValidator(ConfigurableListableBeanFactory beanFactory, LockOperationSource operations,
			EarlyBeans earlyBeans, UnlockedBeans unlocked) {
		this.earlyBeans = earlyBeans;
		this.beanFactory = beanFactory;
		this.operations = operations;
		this.unlocked = unlocked;
	}

	/**
	 * Check the bean before it is proxied, because a failing proxy has a less helpful
	 * message.
	 */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		check(beanName, bean.getClass());
		return bean;
	}

	/**
	 * The kind of proxy is known only after it has been created.
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (AopUtils.isAopProxy(bean) && !(bean instanceof AopInfrastructureBean)) {
			LockedClass type = lockedClass(AopProxyUtils.ultimateTargetClass(bean));
			if (type.isLocked() && AopUtils.isJdkDynamicProxy(bean)) {
				ofBean(beanName, () -> type.checkInterfaces(bean.getClass(), this.operations));
			}
			else if (type.isLocked()) {
				warnOfMethodsThatSeeNoFields(beanName, type);
			}
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		BackendCatalog catalog = this.beanFactory.getBeanProvider(BackendCatalog.class).getIfAvailable();
		Iterator<String> names = this.beanFactory.getBeanNamesIterator();
		while (names.hasNext()) {
			String name = names.next();
			Object instance = this.beanFactory.containsSingleton(name) ? this.beanFactory.getSingleton(name) : null;
			LockedClass type = check(name, typeOf(name, instance));
			if (catalog != null) {
				ofBean(name, () -> checkBackends(type, catalog));
			}
			if (type.needsProxy() && instance != null && !(instance instanceof FactoryBean)
					&& !AopUtils.isAopProxy(instance)) {
				this.unlocked.report(name, type, MADE_EARLY);
			}
		}
		this.earlyBeans.types().forEach((name, beanClass) -> {
			LockedClass type = check(name, beanClass);
			if (type.needsProxy()) {
				this.unlocked.report(name, type, MADE_EARLY);
			}
		});
	}

	private @Nullable Class<?> typeOf(String name, @Nullable Object instance) {
		return (instance != null && !(instance instanceof FactoryBean)) ? AopProxyUtils.ultimateTargetClass(instance)
				: this.beanFactory.getType(name, false);
	}

	private LockedClass check(String beanName, @Nullable Class<?> beanClass) {
		LockedClass type = lockedClass((beanClass != null) ? beanClass : Object.class);
		if (type.isLocked()) {
			ofBean(beanName, () -> {
				if (!type.isInterfaceProxy()) {
					type.checkMethods();
					type.checkClass(!proxiesClasses(beanName));
					checkCallbacks(beanName, type);
				}
				type.methods().forEach((method) -> this.operations.operations(method, type.type()));
			});
			warnOfStaticMethods(type);
		}
		return type;
	}

	/**
	 * An annotation on the class is meant for other methods, so its callbacks cause only
	 * a warning.
	 */
	private void checkCallbacks(String beanName, LockedClass type) {
		// The definition of a factory does not describe its product.
		boolean own = this.beanFactory.containsBeanDefinition(beanName) && !this.beanFactory.isFactoryBean(beanName);
		BeanDefinition definition = own ? this.beanFactory.getMergedBeanDefinition(beanName) : null;
		for (Method method : type.methodsThatNeedAProxy()) {
			String callback = LifecycleCallback.find(method, type.type(), definition);
			if (callback != null) {
				String problem = "the container calls the method on the bean itself (" + callback
						+ "), past every proxy, so that it runs WITHOUT a lock; use LockTemplate inside of it, or do the"
						+ " work in an ApplicationRunner";
				if (type.isLockedByItself(method, this.operations)) {
					throw new InvalidLockDeclarationException(method, type.type(), null, problem);
				}
				this.unlocked.warnOnce(MethodSignature.of(method, type.type())
						+ " is covered by the @DistributedLock on its class, but " + problem);
			}
		}
	}

	private LockedClass lockedClass(Class<?> beanClass) {
		return this.operations
			.lockedClass(AopInfrastructureBean.class.isAssignableFrom(beanClass) ? Object.class : beanClass);
	}

	private boolean proxiesClasses(String beanName) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, beanName)
				|| (this.beanFactory.containsBean(creator)
						&& this.beanFactory.getBean(creator) instanceof ProxyConfig config
						&& config.isProxyTargetClass());
	}

	private void checkBackends(LockedClass type, BackendCatalog catalog) {
		type.methods()
			.forEach((method) -> this.operations.operations(method, type.type())
				.forEach((operation) -> checkBackend(operation, method, type, catalog)));
	}

	private static void checkBackend(LockOperation operation, Method method, LockedClass type, BackendCatalog catalog) {
		LockOptions options = operation.options();
		String backend = (options.backend() != null) ? options.backend() : catalog.defaultBackend();
		if (!catalog.traits().containsKey(backend)) {
			throw new InvalidLockDeclarationException(method, type.type(), "backend", "'" + backend
					+ "' is not set up; there are " + catalog.traits().keySet().stream().sorted().toList());
		}
		if (options.fenced() && !catalog.traits().get(backend).fencing()) {
			throw new InvalidLockDeclarationException(method, type.type(), "fenced",
					"the backend '" + backend + "' gives no fencing tokens; name another backend or omit fenced");
		}
		if (options.mode() == LockMode.SHARED && !catalog.traits().get(backend).sharedMode()) {
			throw new InvalidLockDeclarationException(method, type.type(), "mode",
					"the backend '" + backend + "' has no shared leases; name another backend or omit mode");
		}
		Integer permits = options.permits();
		int most = catalog.traits().get(backend).maxPermits();
		if (permits != null && permits > most) {
			throw new InvalidLockDeclarationException(method, type.type(), "permits",
					"the backend '" + backend + "' grants "
							+ ((most > 0) ? "at most " + most + " permits, not " + permits : "no permits")
							+ "; name another backend");
		}
		Class<?> several = operation.key().severalKeys();
		if (several != null && permits != null) {
			throw new InvalidLockDeclarationException(method, type.type(), "permits", "excludes several keys, and a "
					+ several.getTypeName() + " stands for several; name one element in the expression");
		}
	}

	private static void ofBean(String beanName, Runnable check) {
		try {
			check.run();
		}
		catch (InvalidLockDeclarationException ex) {
			throw ex.ofBean(beanName);
		}
	}

	private void warnOfMethodsThatSeeNoFields(String beanName, LockedClass type) {
		for (String method : type.methodsThatSeeNoFields()) {
			this.unlocked.warnOnce(
					method + " is final: called on the bean '" + beanName + "', whose class is proxied for its locks,"
							+ " it runs on the proxy and sees null in place of every field; make it overridable");
		}
	}

	private void warnOfStaticMethods(LockedClass type) {
		for (String method : type.staticMethodsOutsideTheLock(this.operations)) {
			this.unlocked.warnOnce(method + " is static: the @DistributedLock on its class does not cover it");
		}
	}

}
