package io.distributedlock.aop;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that annotated beans are proxied, whatever creates the proxies and of whatever
 * kind they are.
 */
class AutoProxyTests {

	private static void assertLocks(ApplicationContext context) {
		RecordingScopes scopes = context.getBean(RecordingScopes.class);
		scopes.log.clear();
		context.getBean(Face.class).annotated("x");
		context.getBean(Face.class).covered();
		assertThat(scopes.log).containsExactly("open method:x", "close method:x", "open face", "close face");
	}

	private static Class<?> autoProxyCreator(ApplicationContext context) {
		return context.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME).getClass();
	}

	@Test
	void registersTheAutoProxyCreatorItself() {
		LockedContext.runner(Implementation.class).run((context) -> {
			assertThat(autoProxyCreator(context)).isEqualTo(InfrastructureAdvisorAutoProxyCreator.class);
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Face.class))).isTrue();
			assertLocks(context);
		});
	}

	@Test
	void worksWithoutAspectJOnTheClassPath() {
		withBoot().withClassLoader(new FilteredClassLoader("org.aspectj")).run((context) -> {
			assertThat(autoProxyCreator(context)).isEqualTo(InfrastructureAdvisorAutoProxyCreator.class);
			assertThat(AopUtils.isCglibProxy(context.getBean(Face.class))).isTrue();
			assertLocks(context);
		});
	}

	@Test
	void worksWithAspectJOnTheClassPath() {
		withBoot().run((context) -> {
			assertThat(autoProxyCreator(context)).isEqualTo(AnnotationAwareAspectJAutoProxyCreator.class);
			assertThat(AopUtils.isCglibProxy(context.getBean(Face.class))).isTrue();
			assertLocks(context);
		});
	}

	@Test
	void worksWithInterfaceProxiesFromBoot() {
		withBoot().withPropertyValues("spring.aop.proxy-target-class=false").run((context) -> {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Face.class))).isTrue();
			assertLocks(context);
		});
	}

	private static ApplicationContextRunner withBoot() {
		return LockedContext.runner(Implementation.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));
	}

	@Test
	void worksWhereAspectJIsEnabledByHand() {
		LockedContext.runner(Implementation.class)
			.withUserConfiguration(AspectJ.class)
			.run(AutoProxyTests::assertLocks);
	}

	@Test
	void locksAProxyThatAFactoryMakesFromAnInterface() {
		LockedContext.runner().withBean(ClientFactory.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertLocks(context);
		});
		withBootAndClientFactory().run((context) -> {
			assertThat(context).hasNotFailed();
			assertLocks(context);
		});
	}

	private static ApplicationContextRunner withBootAndClientFactory() {
		return LockedContext.runner()
			.withBean(ClientFactory.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));
	}

	@Test
	void theKeyOfAGeneratedClassIsThatOfItsInterface() {
		LockedContext.runner().withBean(BareFactory.class).run((context) -> {
			context.getBean(Bare.class).call(1);

			assertThat(context.getBean(RecordingScopes.class).keys())
				.containsExactly(Bare.class.getName() + ".call(int)");
		});
	}

	@Test
	void protectedAndPackagePrivateMethodsOfAClassProxyAreLocked() {
		LockedContext.runner(NotPublic.class).run((context) -> {
			NotPublic bean = context.getBean(NotPublic.class);
			bean.packagePrivate();
			bean.protectedMethod();

			assertThat(context.getBean(RecordingScopes.class).keys()).containsExactly("package", "protected");
		});
	}

	@DistributedLock(name = "face")
	interface Face {

		@DistributedLock(name = "method", key = "#id")
		void annotated(String id);

		void covered();

	}

	public static class Implementation implements Face {

		@Override
		public void annotated(String other) {
		}

		@Override
		public void covered() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class AspectJ {

		@Bean
		Object unrelated() {
			return new Object();
		}

	}

	public static class ClientFactory implements FactoryBean<Face> {

		@Override
		public Face getObject() {
			return (Face) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Face.class },
					(proxy, method, args) -> null);
		}

		@Override
		public Class<?> getObjectType() {
			return Face.class;
		}

	}

	interface Bare {

		@DistributedLock
		void call(int id);

	}

	public static class BareFactory implements FactoryBean<Bare> {

		@Override
		public Bare getObject() {
			return (Bare) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Bare.class },
					(proxy, method, args) -> null);
		}

		@Override
		public Class<?> getObjectType() {
			return Bare.class;
		}

	}

	public static class NotPublic {

		@DistributedLock(name = "package")
		void packagePrivate() {
		}

		@DistributedLock(name = "protected")
		protected void protectedMethod() {
		}

	}

}
