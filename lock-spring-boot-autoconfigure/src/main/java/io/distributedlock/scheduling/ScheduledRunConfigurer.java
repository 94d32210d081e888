package io.distributedlock.scheduling;

import org.springframework.core.Ordered;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Lets locked {@code @Scheduled} methods know that it is the scheduler that calls. Comes
 * after all other configurers, so that it sees the scheduler that they have chosen; those
 * without an order are ordered by their definitions, so this one is to be defined last.
 * Routing by {@code scheduler =} is left as it is. Tasks that a scheduler is given in
 * another way are not seen.
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
