package io.distributedlock.it.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups cost exclusive locks nothing: their scripts run the commands of the version
 * without groups. The server has no other clients.
 */
class RedisExclusiveCommandsIntegrationTests {

	/**
	 * Commands that a test itself, or a driver, causes.
	 */
	private static final Set<String> NOT_OF_SCRIPTS = Set.of("eval", "evalsha", "info", "hello", "ping", "subscribe",
			"publish");

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final LettuceConnectionFactory FACTORY = RedisFactories.lettuce(SERVER.port());

	private final EarlierVersion earlier = new EarlierVersion(FACTORY);

	private final RedisTestClient client = new RedisTestClient(FACTORY);

	private final StringRedisTemplate redis = new StringRedisTemplate(FACTORY);

	@AfterEach
	void close() {
		this.client.close();
	}

	@AfterAll
	static void end() {
		FACTORY.destroy();
		SERVER.kill();
	}

	@ParameterizedTest
	@ValueSource(strings = { "release", "renew", "find" })
	void scriptIsThatOfTheEarlierVersion(String name) throws IOException {
		assertThat(text(new ClassPathResource(name + ".lua", RedisLockBackend.class)))
			.isEqualTo(text(new ClassPathResource("before/" + name + ".lua", EarlierVersion.class)));
	}

	private static String text(ClassPathResource script) throws IOException {
		return script.getContentAsString(StandardCharsets.UTF_8);
	}

	@Test
	void exclusiveAttemptsRunTheCommandsOfTheEarlierVersion() {
		List<Map<String, Long>> before = commands((owner, each) -> this.earlier.acquire(each.key(),
				owner.value() + "|test@host:1", each.span(), each.tick(), each.waiting()));
		List<Map<String, Long>> now = commands((owner, each) -> this.client.attempt(each.key(),
				new LeaseRequest(owner, RedisTestClient.TTL, each.span(),
						each.tick().isEmpty() ? null : Instant.ofEpochMilli(Long.parseLong(each.tick())),
						each.waiting(), Duration.ofSeconds(5), Duration.ZERO)));

		assertThat(before).hasSizeGreaterThan(8);
		assertThat(now).isEqualTo(before);
	}

	/**
	 * Return the commands that the scripts of attempts run, in various states of a key.
	 */
	private List<Map<String, Long>> commands(BiConsumer<OwnerId, Attempt> attempts) {
		String name = RedisTestClient.newKey();
		OwnerId owner = OwnerId.random();
		OwnerId stranger = OwnerId.random();
		List<Map<String, Long>> commands = new ArrayList<>();
		// Both versions know their scripts then.
		attempts.accept(owner, new Attempt(RedisTestClient.newKey(), 1, "", false));
		commands.add(counted(() -> attempts.accept(owner, new Attempt(name, 1, "", false))));
		commands.add(counted(() -> attempts.accept(owner, new Attempt(name, 1, "", false))));
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(name, 1, "", false))));
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(name, 1, "", true))));
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(name, 1, "", true))));
		String ticking = RedisTestClient.newKey();
		commands.add(counted(() -> attempts.accept(owner, new Attempt(ticking, 8, "1000", false))));
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(ticking, 1, "1000", false))));
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(ticking, 1, "2000", false))));
		this.redis.delete(RedisTestClient.PREFIX + "{" + ticking + "}");
		commands.add(counted(() -> attempts.accept(stranger, new Attempt(ticking, 8, "", true))));
		return commands;
	}

	private static Map<String, Long> counted(Runnable calls) {
		CommandStats before = CommandStats.of(FACTORY);
		calls.run();
		return CommandStats.of(FACTORY)
			.since(before)
			.calls()
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() > 0 && !NOT_OF_SCRIPTS.contains(entry.getKey())
					&& !entry.getKey().contains("|"))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	/**
	 * An attempt of either version.
	 */
	private record Attempt(String key, int span, String tick, boolean waiting) {
	}

}
