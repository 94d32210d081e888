package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for tests of applications with several stores that replace the locks.
 */
@SpringJUnitConfig(MockedLocksOfSeveralStoresTests.Application.class)
@TestPropertySource(properties = { "lock.backends=local,own", "lock.backend=local" })
class MockedLocksOfSeveralStoresTests {

	@MockitoBean
	private LockTemplate template;

	@MockitoBean
	@Qualifier("ownLockTemplate")
	private LockTemplate own;

	@Autowired
	private LockTemplate injected;

	@Autowired
	@Qualifier("ownLockTemplate")
	private LockTemplate injectedOwn;

	@Test
	void mocksTakeThePlaceOfOurs() {
		given(this.template.tryAcquire("k")).willReturn(Optional.empty());

		assertThat(this.injected).isSameAs(this.template).isNotSameAs(this.own);
		assertThat(this.injectedOwn).isSameAs(this.own);
		assertThat(this.injected.tryAcquire("k")).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

		@Bean
		LockBackend own() {
			VirtualLockClock clock = new VirtualLockClock();
			return new LocalLockBackend(new LocalStore(clock), "test", clock);
		}

	}

}
