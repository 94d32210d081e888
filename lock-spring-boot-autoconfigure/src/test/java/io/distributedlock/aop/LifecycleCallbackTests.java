package io.distributedlock.aop;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locked methods that the container calls without their proxy.
 */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleCallbackTests {

	@ParameterizedTest
	@CsvSource({ "Constructed, start(), @PostConstruct", "Destroyed, end(), @PreDestroy",
			"Initializing, afterPropertiesSet(), InitializingBean", "Disposable, destroy(), DisposableBean",
			"Closeable, close(), the destroy method of the bean", "Aware, setBeanName(String), an Aware interface",
			"Stopped, stop(), 'SmartLifecycle, whose stop(Runnable) calls it'" })
	void callbackWithALockIsRefused(String type, String method, String callback) throws Exception {
		Class<?> beanClass = Class.forName(getClass().getName() + "$" + type);

		LockedContext.runner(beanClass)
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageStartingWith("@DistributedLock on " + beanClass.getName() + "." + method)
				.hasMessageContaining("the container calls the method on the bean itself (" + callback + ")")
				.hasMessageContaining("WITHOUT a lock"));
	}

	@Test
	void methodThatABeanDefinitionNamesIsRefused() {
		LockedContext.runner()
			.withUserConfiguration(NamesInitMethod.class)
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageContaining(Plain.class.getName() + ".open() (bean 'named')")
				.hasMessageContaining("(the init method of the bean)"));
		LockedContext.runner()
			.withUserConfiguration(NamesDestroyMethod.class)
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageContaining(Plain.class.getName() + ".open() (bean 'named')")
				.hasMessageContaining("(the destroy method of the bean)"));
		LockedContext.runner()
			.withUserConfiguration(InfersDestroyMethod.class)
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageContaining(Closing.class.getName() + ".close() (bean 'closing')"));
	}

	@Test
	void productOfAFactoryIsNotDestroyedByTheContainer() {
		LockedContext.runner()
			.withUserConfiguration(MakesClosing.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void methodThatIsNoCallbackIsLocked() {
		LockedContext.runner(Plain.class).run((context) -> {
			context.getBean(Plain.class).open();

			assertThat(context.getBean(RecordingScopes.class).keys()).hasSize(1);
		});
	}

	@Test
	void callbackOfALockedClassIsWarnedOf(CapturedOutput output) {
		LockedContext.runner(LockedClassWithCallback.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockedClassWithCallback.class).work();

			assertThat(context.getBean(RecordingScopes.class).keys()).hasSize(1);
			assertThat(output).contains(LockedClassWithCallback.class.getName() + ".start() is covered by the"
					+ " @DistributedLock on its class, but the container calls the method on the bean itself");
		});
	}

	static class Constructed {

		@PostConstruct
		@DistributedLock
		void start() {
		}

	}

	static class Destroyed {

		@PreDestroy
		@DistributedLock
		void end() {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
		}

	}

	static class Closeable implements AutoCloseable {

		@Override
		@DistributedLock
		public void close() {
		}

	}

	static class Aware implements BeanNameAware {

		@Override
		@DistributedLock
		public void setBeanName(String name) {
		}

	}

	static class Stopped implements SmartLifecycle {

		@Override
		public void start() {
		}

		@Override
		@DistributedLock
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class ClosingFactory implements FactoryBean<Closing> {

		@Override
		public Closing getObject() {
			return new Closing();
		}

		@Override
		public Class<?> getObjectType() {
			return Closing.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MakesClosing {

		@Bean
		ClosingFactory made() {
			return new ClosingFactory();
		}

	}

	static class Plain {

		@DistributedLock
		void open() {
		}

	}

	static class Closing implements AutoCloseable {

		@Override
		@DistributedLock
		public void close() {
		}

	}

	@DistributedLock(name = "class")
	public static class LockedClassWithCallback {

		@PostConstruct
		public void start() {
		}

		public void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamesInitMethod {

		@Bean(initMethod = "open")
		Plain named() {
			return new Plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamesDestroyMethod {

		@Bean(destroyMethod = "open")
		Plain named() {
			return new Plain();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InfersDestroyMethod {

		@Bean
		Closing closing() {
			return new Closing();
		}

	}

}
