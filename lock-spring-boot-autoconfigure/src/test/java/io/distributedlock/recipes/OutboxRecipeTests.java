package io.distributedlock.recipes;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * The recipe for an outbox that one instance at a time drains.
 */
class OutboxRecipeTests {

	private final Broker broker = new Broker();

	private final RecipeInstances instances = new RecipeInstances(this.broker);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void messagesAreSentOnceAndInOrderByAllInstancesTogether() {
		Outbox outbox = this.instances.start(Draining.class).getBean(Outbox.class);
		this.instances.start(Draining.class);

		for (int i = 1; i <= 200; i++) {
			outbox.add("message " + i);
		}

		await().until(() -> outbox.oldest(1).isEmpty());
		assertThat(this.broker.sent).hasSize(200).isSortedAccordingTo((a, b) -> Long.compare(a.id(), b.id()));
	}

	@Test
	void instanceThatLosesTheLockSendsNoFurtherMessage() {
		ConfigurableApplicationContext instance = this.instances.start(Application.class);
		Outbox outbox = instance.getBean(Outbox.class);
		this.broker.afterwards = () -> instance.getBean(Locks.class).forceRelease("outbox");
		outbox.add("first");
		outbox.add("second");

		assertThat(drain(instance)).isInstanceOf(LeaseLostException.class);

		assertThat(this.broker.sent).extracting(Message::text).containsExactly("first");
		assertThat(outbox.oldest(10)).extracting(Message::text).containsExactly("second");
	}

	@Test
	void messageWhoseSenderFailsBeforeItIsRemovedIsSentAgain() {
		ConfigurableApplicationContext instance = this.instances.start(Application.class);
		Outbox outbox = instance.getBean(Outbox.class);
		this.broker.afterwards = () -> {
			throw new IllegalStateException("crash");
		};
		outbox.add("first");
		assertThat(drain(instance)).isInstanceOf(IllegalStateException.class);
		this.broker.afterwards = () -> {
		};

		assertThat(drain(instance)).isNull();

		assertThat(this.broker.sent).extracting(Message::text).containsExactly("first", "first");
		assertThat(outbox.oldest(10)).isEmpty();
	}

	/**
	 * Call the method as other code than the scheduler does.
	 */
	private static Throwable drain(ConfigurableApplicationContext instance) {
		return catchThrowable(() -> instance.getBean(Relay.class).drain());
	}

	/**
	 * An instance whose method only the test calls.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ Relay.class, Outbox.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import(Application.class)
	static class Draining {

	}

	public static class Relay {

		private final Outbox outbox;

		private final Broker broker;

		Relay(Outbox outbox, Broker broker) {
			this.outbox = outbox;
			this.broker = broker;
		}

		// tag::outbox[]
		@Scheduled(fixedDelayString = "${outbox.delay:100ms}")
		@DistributedLock(name = "outbox")
		public void drain() {
			for (Message message : this.outbox.oldest(100)) {
				LockContext.assertHeld(); // throws if the lease was lost
				this.broker.send(message);
				this.outbox.remove(message);
			}
		}
		// end::outbox[]

	}

	record Message(long id, String text) {

	}

	/**
	 * A table to which the application adds messages in its transactions.
	 */
	static class Outbox {

		private final JdbcTemplate jdbc;

		Outbox(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table if not exists outbox"
					+ " (id bigint generated always as identity primary key, text varchar(100) not null)");
		}

		void add(String text) {
			this.jdbc.update("insert into outbox (text) values (?)", text);
		}

		List<Message> oldest(int limit) {
			return this.jdbc.query("select id, text from outbox order by id limit ?",
					DataClassRowMapper.newInstance(Message.class), limit);
		}

		void remove(Message message) {
			this.jdbc.update("delete from outbox where id = ?", message.id());
		}

	}

	/**
	 * The broker that all instances send to.
	 */
	static class Broker {

		private final List<Message> sent = new CopyOnWriteArrayList<>();

		private volatile Runnable afterwards = () -> {
		};

		void send(Message message) {
			this.sent.add(message);
			this.afterwards.run();
		}

	}

}
