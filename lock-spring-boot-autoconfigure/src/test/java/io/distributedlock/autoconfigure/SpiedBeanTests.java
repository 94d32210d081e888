package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;

/**
 * Tests that a bean on which a test spies keeps its locks, and the names of its
 * parameters.
 */
@SpringJUnitConfig(SpiedBeanTests.Application.class)
@TestPropertySource(properties = "lock.backend=local")
class SpiedBeanTests {

	@MockitoSpyBean
	private Orders spy;

	@Autowired
	private Caller caller;

	@Test
	void aSpiedMethodRunsUnderItsLock() {
		assertThat(this.caller.ship(new Order(42))).isEqualTo("order:42");

		then(this.spy).should().ship(new Order(42));
	}

	record Order(long id) {

	}

	public static class Orders {

		@DistributedLock(name = "order", key = "#order.id")
		public String ship(Order order) {
			return LockContext.find().map((lease) -> lease.key()).orElse("no lock");
		}

	}

	static class Caller {

		private final Orders orders;

		Caller(Orders orders) {
			this.orders = orders;
		}

		String ship(Order order) {
			return this.orders.ship(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LockAutoConfiguration.class })
	@Import({ Orders.class, Caller.class })
	static class Application {

	}

}
