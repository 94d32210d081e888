package io.distributedlock.integration;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.AbstractLeaderEvent;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/**
 * An application that is a candidate for a role with Spring Integration's own initiator.
 */
final class InitiatorNode implements AutoCloseable {

	private static final long HEART_BEAT_MILLIS = 100;

	private final AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();

	private final LockRegistryLeaderInitiator initiator;

	private final List<String> news = new CopyOnWriteArrayList<>();

	InitiatorNode(LeaseLockRegistry registry, String role) {
		this.initiator = new LockRegistryLeaderInitiator(registry, new DefaultCandidate(null, role));
		this.initiator.setHeartBeatMillis(HEART_BEAT_MILLIS);
		this.initiator.setBusyWaitMillis(HEART_BEAT_MILLIS / 5);
		this.application.addApplicationListener((ApplicationListener<AbstractLeaderEvent>) (event) -> this.news
			.add((event instanceof OnGrantedEvent) ? "granted" : "revoked"));
		this.application.registerBean(LockRegistryLeaderInitiator.class, () -> this.initiator);
		this.application.refresh();
	}

	boolean leads() {
		return this.initiator.getContext().isLeader();
	}

	/**
	 * Return the events so far.
	 */
	List<String> news() {
		return this.news;
	}

	/**
	 * Give the leadership up, and pause until another application has had time to get it.
	 */
	void yieldForLong() {
		this.initiator.setBusyWaitMillis(60_000);
		this.initiator.getContext().yield();
	}

	/**
	 * Pause the application, as between two test classes.
	 */
	void stop() {
		this.application.stop();
	}

	void start() {
		this.application.start();
	}

	@Override
	public void close() {
		this.application.close();
	}

}
