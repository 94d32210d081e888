package io.distributedlock.autoconfigure;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for tests of applications that replace the locks.
 */
@SpringJUnitConfig(MockedLocksTests.Application.class)
@TestPropertySource(properties = "lock.backend=local")
class MockedLocksTests {

	@MockitoBean
	private LockTemplate template;

	@MockitoBean
	private Locks locks;

	@Autowired
	private LockTemplate injected;

	@Test
	void mockTakesThePlaceOfOurs() {
		given(this.template.tryAcquire("k")).willReturn(Optional.empty());

		assertThat(this.injected.tryAcquire("k")).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

	}

}
