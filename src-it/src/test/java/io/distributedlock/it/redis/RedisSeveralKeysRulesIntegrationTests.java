package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of the scripts for several keys, beside those for one key, keep all
 * rules. If a script breaks one of them, the histories find it.
 */
@Tag(LockBackendContract.HISTORIES)
class RedisSeveralKeysRulesIntegrationTests {

	private static final int STEPS = 3000;

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisClient CLIENT = RedisClient.create(RedisURI.create("127.0.0.1", SERVER.port()));

	private static final RedisCommands<String, String> COMMANDS = CLIENT.connect().sync();

	@AfterAll
	static void end() {
		CLIENT.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		SERVER.kill();
	}

	@Test
	void scriptsKeepAllRules() {
		assertThat(faults(GroupScripts.of(COMMANDS))).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void brokenRuleIsFound(Rule rule) {
		assertThat(faults(GroupScripts.broken(COMMANDS, rule.text, rule.broken)))
			.as("faults of scripts where '%s' is '%s'", rule.text, rule.broken)
			.isNotEmpty();
	}

	private static List<String> faults(GroupScripts scripts) {
		long seed = ThreadLocalRandom.current().nextLong();
		History history = new History(scripts, seed);
		List<String> faults = new ArrayList<>();
		try {
			for (int i = 0; i < STEPS && history.fault == null; i++) {
				history.step();
			}
		}
		catch (RedisCommandExecutionException ex) {
			faults.add(ex.getMessage() + ", with seed " + seed);
		}
		if (history.fault != null) {
			faults.add(history.fault + ", with seed " + seed);
		}
		return faults;
	}

	/**
	 * A history whose leases last longer than itself, so that every answer is certain.
	 */
	private static final class History {

		private static final String NO_TICK = "";

		private final GroupScripts scripts;

		private final Random random;

		private final List<String> keys = IntStream.range(0, 4).mapToObj((i) -> RedisTestClient.newKey()).toList();

		private final Map<String, Boolean> modes = new HashMap<>();

		private final Map<String, Set<String>> holders = new HashMap<>();

		private final Map<String, Long> tokens = new HashMap<>();

		private final Map<String, Long> ticks = new HashMap<>();

		private String fault;

		History(GroupScripts scripts, long seed) {
			this.scripts = scripts;
			this.random = new Random(seed);
			this.keys.forEach((key) -> this.holders.put(key, new HashSet<>()));
		}

		void step() {
			int dice = this.random.nextInt(10);
			if (dice < 6) {
				attempt(this.random.nextInt(3) == 0);
			}
			else {
				release();
			}
		}

		private void attempt(boolean shared) {
			int from = this.random.nextInt(this.keys.size());
			List<String> some = this.keys.subList(from, from + 1 + this.random.nextInt(this.keys.size() - from));
			String owner = OwnerId.random().value() + "|app@host:1";
			String last = some.get(some.size() - 1);
			Object tick = (shared || this.random.nextInt(4) > 0) ? NO_TICK : this.random.nextInt(100);
			boolean done = tick instanceof Integer wanted && wanted <= this.ticks.getOrDefault(last, -1L);
			boolean free = some.stream().allMatch((key) -> isFree(key, shared));
			List<Object> reply = attempt(some, owner, shared, tick);
			long expected = done ? 2 : (free ? 1 : 0);
			expect(reply.get(0).equals(expected), "an attempt on " + some + " was answered " + reply + " instead of "
					+ expected + " with " + this.holders);
			expect(!reply.get(0).equals(1L) || reply.size() == 1 + 2 * some.size(), "a key has no token");
			if (this.fault != null || !reply.get(0).equals(1L)) {
				return;
			}
			for (int i = 0; i < some.size(); i++) {
				String key = some.get(i);
				long token = (Long) reply.get(2 * i + 1);
				expect(token > this.tokens.getOrDefault(key, 0L), "a token does not grow");
				this.tokens.put(key, token);
				this.modes.put(key, shared);
				this.holders.get(key).add(owner);
			}
			if (tick instanceof Integer granted) {
				this.ticks.put(last, granted.longValue());
			}
			if (this.random.nextInt(3) == 0) {
				expect(attempt(some, owner, shared, tick).equals(reply), "an attempt was granted twice");
			}
		}

		private List<Object> attempt(List<String> some, String owner, boolean shared, Object tick) {
			return shared ? this.scripts.enterSeveral(some, owner) : this.scripts.acquireSeveral(some, owner, tick);
		}

		private boolean isFree(String key, boolean shared) {
			return this.holders.get(key).isEmpty() || (shared && this.modes.get(key));
		}

		private void release() {
			List<String> owners = this.holders.values().stream().flatMap(Set::stream).distinct().toList();
			if (owners.isEmpty()) {
				return;
			}
			String owner = owners.get(this.random.nextInt(owners.size()));
			for (String key : this.keys) {
				if (this.holders.get(key).remove(owner)) {
					List<Object> reply = this.modes.get(key) ? this.scripts.release(key, owner, 0, Duration.ZERO)
							: this.scripts.releaseExclusive(key, owner);
					expect(reply.get(0).equals(1L), "a lease was lost");
				}
			}
		}

		private void expect(boolean condition, String otherwise) {
			if (!condition && this.fault == null) {
				this.fault = otherwise;
			}
		}

	}

	enum Rule {

		BUSY_KEYS_ARE_LEFT_OUT("if #busy > 0 then", "if #busy == number then"),

		ONLY_THE_FIRST_KEY_IS_LOOKED_AT("for i = 1, number do\n	local found", "for i = 1, 1 do\n	local found"),

		THE_LAST_KEY_IS_NOT_TAKEN("for i = 1, number do\n	local answer", "for i = 1, number - 1 do\n	local answer"),

		FREE_KEYS_ARE_TAKEN_ALTHOUGH_OTHERS_ARE_BUSY("for _, i in ipairs(busy) do", "for i = 1, number do"),

		EACH_KEY_HAS_THE_TICK("tick ~= '' and i == number", "tick ~= ''"),

		NO_KEY_HAS_THE_TICK("tick ~= '' and i == number", "false"),

		OWN_KEYS_ARE_BUSY("if mine then\n	return 'mine'\nend", ""),

		GROUPS_ARE_FREE_FOR_WRITERS("if not holder then\n	return 'free'\nend",
				"if holder ~= '' then\n	return 'free'\nend"),

		READERS_WAIT_FOR_READERS("if not holder or holder == ARGV[4] then", "if not holder then"),

		READERS_DO_NOT_WAIT_FOR_WRITERS("if not holder or holder == ARGV[4] then", "if true then");

		private final String text;

		private final String broken;

		Rule(String text, String broken) {
			this.text = text;
			this.broken = broken;
		}

	}

}
