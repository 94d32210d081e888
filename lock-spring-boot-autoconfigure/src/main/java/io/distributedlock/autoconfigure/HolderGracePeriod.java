package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.autoconfigure.task.TaskExecutionProperties;
import org.springframework.boot.autoconfigure.task.TaskSchedulingProperties;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Determines how long the shutdown waits for active holders.
 * <p>
 * Web servers and most executors wait for requests and tasks in their phase, before the
 * engine stops. An executor that awaits the termination of its tasks does so only when it
 * is destroyed: after all phases, when connections to stores may be closed already. If
 * there is such an executor, the engine waits in its place, for the same time: the period
 * of Boot's properties or, without one, the time that any phase may take, because
 * executors do not reveal theirs.
 */
final class HolderGracePeriod implements Supplier<Duration> {

	/**
	 * The default of Boot for the time of a phase.
	 */
	private static final Duration PHASE = Duration.ofSeconds(30);

	private final @Nullable Duration configured;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create the grace period.
	 * @param configured the time that the application has set, or {@code null}
	 * @param beanFactory the bean factory, which is inspected when the application stops
	 */
	HolderGracePeriod(@Nullable Duration configured, ConfigurableListableBeanFactory beanFactory) {
		this.configured = configured;
		this.beanFactory = beanFactory;
	}

	@Override
	public Duration get() {
		if (this.configured != null) {
			return this.configured;
		}
		return Stream.of(schedulingPeriod(), executionPeriod())
			.filter(Objects::nonNull)
			.max(Duration::compareTo)
			.orElseGet(() -> hasLateExecutor() ? phase() : Duration.ZERO);
	}

	private @Nullable Duration schedulingPeriod() {
		TaskSchedulingProperties properties = bean(TaskSchedulingProperties.class);
		return (properties != null && properties.getShutdown().isAwaitTermination())
				? properties.getShutdown().getAwaitTerminationPeriod() : null;
	}

	private @Nullable Duration executionPeriod() {
		TaskExecutionProperties properties = bean(TaskExecutionProperties.class);
		return (properties != null && properties.getShutdown().isAwaitTermination())
				? properties.getShutdown().getAwaitTerminationPeriod() : null;
	}

	private Duration phase() {
		LifecycleProperties properties = bean(LifecycleProperties.class);
		return (properties != null) ? properties.getTimeoutPerShutdownPhase() : PHASE;
	}

	private <T> @Nullable T bean(Class<T> type) {
		return this.beanFactory.getBeanProvider(type).getIfUnique();
	}

	/**
	 * Return whether an executor is still working although its phase is over.
	 */
	private boolean hasLateExecutor() {
		return Arrays.stream(this.beanFactory.getBeanNamesForType(ExecutorConfigurationSupport.class, false, false))
			.map(this.beanFactory::getSingleton)
			.anyMatch((bean) -> bean instanceof ExecutorConfigurationSupport executor && executor.isRunning()
					&& executor.getPhase() > LockEngineLifecycle.PHASE);
	}

}
