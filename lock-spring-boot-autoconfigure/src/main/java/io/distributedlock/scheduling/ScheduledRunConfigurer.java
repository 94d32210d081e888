package io.distributedlock.scheduling;

import org.springframework.core.Ordered;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Marks calls of locked {@code @Scheduled} methods by the scheduler. Comes after all
 * other configurers, so that it sees the scheduler that they have chosen. Configurers
 * without an order are ordered by their definitions, so this one has to be defined last.
 * Routing by {@code scheduler =} is not affected. Tasks that are passed to a scheduler in
 * another way are not covered.
 *
 * @since 0.1.0
 */
public final class ScheduledRunConfigurer implements SchedulingConfigurer, Ordered {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar registrar) {
		TaskScheduler scheduler = registrar.getScheduler();
		if (scheduler != null && !(scheduler instanceof ScheduledRunScheduler)) {
			registrar.setTaskScheduler(new ScheduledRunScheduler(scheduler));
		}
	}

}
