package io.distributedlock.aop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locked beans in parents and children of the application context with locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class RelatedContextsTests {

	private static final ApplicationContextRunner STRICT = LockedContext.runner()
		.withBean(LockAnnotationSettings.class, () -> new LockAnnotationSettings(true));

	@Test
	void lockedBeanOfAPlainChildIsWarnedOf(CapturedOutput output) {
		LockedContext.runner().run((context) -> {
			try (AnnotationConfigApplicationContext child = childOf(context)) {
				child.registerBean("worker", Worker.class);
				child.setDisplayName("admin");
				child.refresh();

				assertThat(output).contains("The bean 'worker' has @DistributedLock methods, but is in the application"
						+ " context 'admin', which has no locks of its own: its methods run WITHOUT a lock");
			}
		});
	}

	@Test
	void lockedBeanOfAPlainChildIsRefusedByAStrictParent() {
		STRICT.run((context) -> {
			try (AnnotationConfigApplicationContext child = childOf(context)) {
				child.registerBean("worker", Worker.class);

				assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(child::refresh)
					.withMessageContaining("Worker.work() (bean 'worker')")
					.withMessageContaining("which has no locks of its own");
			}
		});
	}

	@Test
	void lockedPrototypeOfAPlainChildIsRefusedByAStrictParent() {
		STRICT.run((context) -> {
			try (AnnotationConfigApplicationContext child = childOf(context)) {
				child.registerBean("worker", Worker.class, (definition) -> definition.setScope("prototype"));

				assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(child::refresh);
			}
		});
	}

	@Test
	void childWithLocksLocksByTheScopesOfItsParent() {
		STRICT.run((context) -> {
			try (AnnotationConfigApplicationContext child = childOf(context)) {
				child.registerBean("worker", Worker.class);
				child.register(DistributedLockAopConfiguration.class);
				child.refresh();

				child.getBean(Worker.class).work();

				assertThat(context.getBean(RecordingScopes.class).keys()).hasSize(1);
			}
		});
	}

	@Test
	void childWithoutLockedBeansMayBePlain(CapturedOutput output) {
		STRICT.run((context) -> {
			try (AnnotationConfigApplicationContext child = childOf(context)) {
				child.registerBean("text", String.class, () -> "text");

				child.refresh();
			}
		});
		assertThat(output).doesNotContain("WITHOUT a lock");
	}

	@Test
	void lockedBeanOfAPlainParentIsRefusedByAStrictChild() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
			parent.registerBean("worker", Worker.class);
			parent.refresh();

			STRICT.withParent(parent)
				.run((context) -> assertThat(LockedContext.failure(context))
					.hasMessageContaining("Worker.work() (bean 'worker')"));
		}
	}

	private static AnnotationConfigApplicationContext childOf(ApplicationContext parent) {
		AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
		child.setParent(parent);
		return child;
	}

	static class Worker {

		@DistributedLock
		void work() {
		}

	}

}
