package io.distributedlock.recipes;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockInfo;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.documentation.ShownProperties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipe for tenants that do not wait for each other.
 */
class TenantRecipeTests {

	private final RecipeInstances instances = new RecipeInstances();

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void deploymentsWithPrefixesOfTheirOwnShareNoLock() {
		ConfigurableApplicationContext blue = start("blue");
		ConfigurableApplicationContext green = start("green");

		try (Lease lease = blue.getBean(LockTemplate.class).acquire("order:42")) {
			assertThat(start("blue").getBean(LockTemplate.class).tryAcquire("order:42")).isEmpty();
			assertThat(green.getBean(LockTemplate.class).tryAcquire("order:42")).isPresent();
			assertThat(blue.getBean(Locks.class).list()).extracting(LockInfo::fencingToken)
				.containsExactly(lease.fencingToken());
		}
	}

	@Test
	void tenantsOfOneDeploymentShareNoLock() {
		ConfigurableApplicationContext instance = this.instances.start(Application.class, "lock.wait-time=0s");
		Tenant tenant = instance.getBean(Tenant.class);
		Shipping shipping = instance.getBean(Shipping.class);
		LockTemplate other = this.instances.start(Application.class).getBean(LockTemplate.class);

		try (Lease lease = other.acquire("order:blue:42")) {
			assertThat(lease.isHeld()).isTrue();
			tenant.id = "blue";
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> shipping.ship(42));
			tenant.id = "green";
			assertThat(shipping.ship(42)).isEqualTo("order:green:42");
		}
	}

	@Test
	void callWithoutATenantIsRefused() {
		ConfigurableApplicationContext instance = this.instances.start(Application.class);

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> instance.getBean(Shipping.class).ship(42));
	}

	private ConfigurableApplicationContext start(String tenant) {
		String[] shown = ShownProperties.of("recipe-tenants");
		assertThat(shown).hasSize(1);
		return this.instances.start(Application.class, shown[0], "tenant=" + tenant);
	}

	public static class Shipping {

		// tag::tenants[]
		@DistributedLock(name = "order", key = "@tenant.id() + ':' + #orderId")
		public String ship(long orderId) {
			return LockContext.current().key(); // order:<tenant>:<order>
		}
		// end::tenants[]

	}

	/**
	 * The tenant of the running call.
	 */
	public static class Tenant {

		private volatile @Nullable String id;

		public @Nullable String id() {
			return this.id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Shipping.class)
	static class Application {

		@Bean
		Tenant tenant() {
			return new Tenant();
		}

	}

}
