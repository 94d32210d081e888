package io.distributedlock.integration;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;

/**
 * Two applications, each with an aggregator, that share the groups and send to one queue.
 */
final class Aggregators implements AutoCloseable {

	private final SimpleMessageStore groups = new SimpleMessageStore();

	private final QueueChannel results = new QueueChannel();

	private final int groupSize;

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	// Set by the test, read by the threads that send.
	private volatile Question question = (group) -> {
	};

	private final List<AnnotationConfigApplicationContext> applications;

	Aggregators(LeaseLockRegistry first, LeaseLockRegistry second, int groupSize) {
		this.groupSize = groupSize;
		this.applications = List.of(start(first), start(second));
	}

	private AnnotationConfigApplicationContext start(LeaseLockRegistry registry) {
		AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
		application.register(Integration.class);
		application
			.registerBean("flow", IntegrationFlow.class,
					() -> (flow) -> flow.aggregate((aggregator) -> aggregator.messageStore(this.groups)
						.lockRegistry(registry)
						.releaseStrategy(this::isComplete)
						.expireGroupsUponCompletion(true)).channel(this.results));
		application.refresh();
		return application;
	}

	/**
	 * Set an action that runs whenever an aggregator checks under its lock whether a
	 * group is complete.
	 */
	void whenAsked(Question question) {
		this.question = question;
	}

	private boolean isComplete(MessageGroup group) {
		this.most.accumulateAndGet(this.inside.incrementAndGet(), Math::max);
		try {
			this.question.ask(group.getGroupId());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.inside.decrementAndGet();
		}
		return group.size() == this.groupSize;
	}

	/**
	 * Return how many threads have checked a group at once.
	 */
	int mostAtOnce() {
		return this.most.get();
	}

	boolean send(int application, String group, String part) {
		Message<String> message = MessageBuilder.withPayload(part).setCorrelationId(group).build();
		return this.applications.get(application).getBean("flow.input", MessageChannel.class).send(message);
	}

	Message<?> receive() {
		Message<?> message = this.results.receive(30_000);
		if (message == null) {
			throw new AssertionError("No group is complete");
		}
		return message;
	}

	@Override
	public void close() {
		this.applications.forEach(AnnotationConfigApplicationContext::close);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Integration {

	}

	/**
	 * Decides for a test whether a group is complete.
	 */
	interface Question {

		void ask(Object group) throws InterruptedException;

	}

}
