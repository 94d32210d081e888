package io.distributedlock.autoconfigure;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.annotation.Transactional;

import io.distributedlock.DistributedLock;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.Locks;
import io.distributedlock.StaleTokenException;
import io.distributedlock.fencing.FencingGuard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for applications with the JPA transactions of Spring Boot, and locks in the same
 * database.
 */
class JpaApplicationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
				TransactionAutoConfiguration.class, LockAutoConfiguration.class, LockFencingAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true", "spring.jpa.hibernate.ddl-auto=create")
		.withUserConfiguration(Application.class)
		.withBean(Notes.class);

	@Test
	void lockTransactionAndGuardWorkTogether() {
		this.runner.run((context) -> {
			Notes notes = context.getBean(Notes.class);

			notes.write(() -> assertThat(context.getBean(Locks.class).find("notes")).isPresent());

			assertThat(context).hasSingleBean(JpaTransactionManager.class);
			assertThat(notes.count()).isOne();
			assertThat(context.getBean(Locks.class).find("notes")).isEmpty();
		});
	}

	@Test
	void leaseThatIsLostAndTokenThatIsStaleRollBack() {
		this.runner.run((context) -> {
			Notes notes = context.getBean(Notes.class);

			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> notes.write(() -> lose(context)));
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> notes.writeWithToken(1));

			assertThat(notes.count()).isZero();
		});
	}

	@Test
	void scriptsMayRunAfterTheEntityManagerFactory() {
		this.runner.withPropertyValues("spring.jpa.defer-datasource-initialization=true").run((context) -> {
			context.getBean(Notes.class).write(() -> {
			});

			assertThat(context.getBean(Notes.class).count()).isOne();
		});
	}

	/**
	 * Take the lock away, and verify the lease so that it notices the loss.
	 */
	private static void lose(ConfigurableApplicationContext context) {
		assertThat(context.getBean(Locks.class).forceRelease("notes")).isTrue();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> LockContext.current().verify());
	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	@EntityScan(basePackageClasses = Note.class)
	static class Application {

	}

	@Entity(name = "Note")
	static class Note {

		@Id
		@GeneratedValue
		private long id;

	}

	static class Notes {

		private final EntityManager entities;

		private final FencingGuard guard;

		Notes(EntityManager entities, FencingGuard guard) {
			this.entities = entities;
			this.guard = guard;
		}

		@Transactional
		@DistributedLock(name = "notes")
		void write(Runnable happens) {
			this.guard.check("notes");
			this.entities.persist(new Note());
			happens.run();
		}

		@Transactional
		@DistributedLock(name = "notes")
		void writeWithToken(long stale) {
			this.guard.check("stale");
			this.entities.persist(new Note());
			this.guard.check("stale", stale);
		}

		long count() {
			return this.entities.createQuery("select count(n) from Note n", Long.class).getSingleResult();
		}

	}

}
