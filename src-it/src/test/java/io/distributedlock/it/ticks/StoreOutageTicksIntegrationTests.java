package io.distributedlock.it.ticks;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.ticks.TickingApplication.Jobs;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for stores that are unavailable for some ticks. All outages run at the same time,
 * because they take time.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoreOutageTicksIntegrationTests {

	private final List<Instance> instances = new ArrayList<>();

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
	}

	@Test
	void ticksWithoutAStoreAreErrorsAndTheScheduleGoesOn(CapturedOutput output) {
		TickStore.all(getClass()).forEach((store) -> this.instances.add(new Instance(store)));
		this.instances.forEach((instance) -> awaitMore("run", instance, instance.ran, 0));

		this.instances.forEach((instance) -> instance.proxies.forEach(TcpProxy::cut));
		this.instances.forEach((instance) -> awaitMore("fault", instance, instance.faults, 1));
		this.instances.forEach(StoreOutageTicksIntegrationTests::assertThatNothingRuns);
		this.instances.forEach((instance) -> instance.proxies.forEach(TcpProxy::restore));

		this.instances.forEach((instance) -> awaitMore("run", instance, instance.ran, instance.ran.get()));
		assertThat(output).contains("Unexpected error occurred in scheduled task");
	}

	private static void awaitMore(String what, Instance instance, AtomicInteger count, int than) {
		Awaitility.await(what + " on " + instance.store.name())
			.atMost(Duration.ofSeconds(60))
			.until(() -> count.get() > than);
	}

	private static void assertThatNothingRuns(Instance instance) {
		int before = instance.ran.get();
		Jobs jobs = instance.context.getBean(Jobs.class);
		LockTemplate locks = instance.context.getBean(LockTemplate.class);

		assertThatExceptionOfType(LockUnavailableException.class).as(instance.store.name()).isThrownBy(jobs::halt);
		assertThatExceptionOfType(LockUnavailableException.class).as(instance.store.name())
			.isThrownBy(() -> locks.tryExecuteWithoutResult("halt", (lease) -> instance.ran.incrementAndGet()));
		assertThat(instance.ran).as(instance.store.name()).hasValue(before);
	}

	/**
	 * An instance behind proxies.
	 */
	private static final class Instance extends TickNews {

		private final AtomicInteger ran = new AtomicInteger();

		private final AtomicInteger faults = new AtomicInteger();

		private final TickStore store;

		private final List<TcpProxy> proxies;

		private final ConfigurableApplicationContext context;

		Instance(TickStore store) {
			this.store = store;
			this.proxies = store.ports().stream().map(TcpProxy::to).toList();
			List<String> properties = new ArrayList<>(
					store.application().apply(this.proxies.stream().map(TcpProxy::port).toList()));
			properties.add("lock.key-prefix=outage-" + OwnerId.random().value().substring(0, 8) + ":");
			properties.add("ticks.stall=* * * * * *");
			properties.add("lock.wait-time=100ms");
			properties.add("lock.call-timeout=500ms");
			// The first call to a store may take longer than that, and the jobs try
			// again.
			properties.add("lock.fail-fast=false");
			this.context = TickingApplication.start(this, properties);
		}

		@Override
		void ran(String job, Instant tick) {
			this.ran.incrementAndGet();
		}

		@Override
		void refused(String job, Instant tick, @Nullable Throwable cause) {
			if (cause instanceof LockUnavailableException) {
				this.faults.incrementAndGet();
			}
		}

		void close() {
			this.context.close();
			this.proxies.forEach(TcpProxy::close);
		}

	}

}
