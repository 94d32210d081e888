package io.distributedlock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.jpa.test.autoconfigure.TestEntityManager;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;

/**
 * Tests for {@link AutoConfigureLocks} and for slices without it.
 */
class AutoConfigureLocksTests {

	@Test
	void importsWhatApplicationsGet() throws Exception {
		String folder = "META-INF/spring/";

		assertThat(lines(folder + AutoConfigureLocks.class.getName() + ".imports"))
			.isEqualTo(lines(folder + "org.springframework.boot.autoconfigure.AutoConfiguration.imports"));
	}

	private static String lines(String resource) throws Exception {
		return new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8);
	}

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = Application.class)
	@Import(Shop.class)
	class WebSliceWithout {

		@Autowired
		private MockMvc mvc;

		@Autowired
		private ObjectProvider<LockTemplate> template;

		@Test
		void startsWithoutLocks() throws Exception {
			assertThat(this.template.stream()).isEmpty();
			this.mvc.perform(get("/stock")).andExpect(content().string("unlocked"));
		}

	}

	@Nested
	@WebMvcTest(properties = "lock.backend=redis")
	@AutoConfigureLocks
	@ContextConfiguration(classes = Application.class)
	@Import(Shop.class)
	class WebSliceWith {

		@Autowired
		private MockMvc mvc;

		@Autowired
		private LocalLocks locals;

		@Test
		void locksInMemoryWhateverTheApplicationHasSet() throws Exception {
			this.mvc.perform(get("/stock")).andExpect(content().string("stock"));

			try (LocalLocks.Hold hold = this.locals.hold("stock")) {
				assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.mvc.perform(get("/stock")))
					.withRootCauseInstanceOf(LockBusyException.class);
			}
		}

	}

	@Nested
	@JdbcTest
	@ContextConfiguration(classes = Application.class)
	class JdbcSliceWithout {

		@Autowired
		private ObjectProvider<LockTemplate> template;

		@Test
		void startsWithoutLocks() {
			assertThat(this.template.stream()).isEmpty();
		}

	}

	@Nested
	@JdbcTest
	@AutoConfigureLocks(backend = "jdbc")
	@ContextConfiguration(classes = Application.class)
	class JdbcSliceWith {

		@Autowired
		private LockEngine engine;

		@Autowired
		private LockTemplate template;

		@Test
		void takesTheConfiguredStore() {
			assertThat(this.engine.backend().name()).isEqualTo("jdbc");
			assertThat(this.template.<Long, RuntimeException>execute("order:1", Lease::fencingToken)).isPositive();
		}

	}

	@Nested
	@DataJpaTest(properties = "lock.wait-time=0s")
	@AutoConfigureLocks
	@ContextConfiguration(classes = Application.class)
	@Import(Shop.class)
	class JpaSliceWith {

		@Autowired
		private Shop shop;

		@Autowired
		private TestEntityManager entities;

		@Autowired
		private Locks locks;

		@Test
		void lockIsKeptUntilTheTransactionAroundTheTestHasEnded() {
			this.entities.persist(new Item());

			assertThat(this.shop.stock()).isEqualTo("stock");
			assertThat(this.locks.find("stock")).isPresent();
			TestTransaction.end();

			assertThat(this.locks.find("stock")).isEmpty();
		}

	}

	@Nested
	@SpringBootTest(classes = Application.class, properties = "lock.backend=etcd")
	@AutoConfigureLocks
	class WholeApplication {

		@Autowired
		private LockTemplate template;

		@Autowired
		private LocalLocks locals;

		@Test
		void hasTheLocksInMemoryInPlaceOfItsStore() {
			this.locals.hold("order:1");

			Optional<Lease> lease = this.template.tryAcquire("order:1");

			assertThat(lease).isEmpty();
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

	@Entity
	static class Item {

		@Id
		private long id;

	}

	@RestController
	static class Shop {

		@GetMapping("/stock")
		@DistributedLock(name = "stock", waitTime = "0s")
		String stock() {
			return LockContext.find().map(Lease::key).orElse("unlocked");
		}

	}

}
