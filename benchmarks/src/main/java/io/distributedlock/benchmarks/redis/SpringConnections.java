package io.distributedlock.benchmarks.redis;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.benchmarks.contest.Address;

/**
 * Opens connections as Spring Boot does by default: with Lettuce, and one connection that
 * all callers share.
 */
final class SpringConnections {

	private SpringConnections() {
	}

	static LettuceConnectionFactory to(Address address) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", address.port());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
