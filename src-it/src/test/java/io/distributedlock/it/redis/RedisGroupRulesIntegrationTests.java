package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.convert.DurationStyle;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of the scripts of groups at a server keep all rules. If a script
 * breaks one of them, the histories find it.
 */
@Tag(LockBackendContract.HISTORIES)
class RedisGroupRulesIntegrationTests {

	private static final int SIDE_BY_SIDE = 30;

	private static final Duration LONGEST_SEARCH = Duration.ofSeconds(60);

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
		Duration duration = DurationStyle.detectAndParse(System.getProperty("lock.test.duration", "2s"));

		assertThat(faults(GroupScripts.of(COMMANDS), duration.multipliedBy(2))).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void brokenRuleIsFound(Rule rule) {
		assertThat(faults(GroupScripts.broken(COMMANDS, rule.text, rule.broken), LONGEST_SEARCH))
			.as("faults of scripts where '%s' is '%s'", rule.text, rule.broken)
			.isNotEmpty();
	}

	/**
	 * Run histories until one of them finds a fault.
	 */
	private static List<String> faults(GroupScripts scripts, Duration atMost) {
		long seed = ThreadLocalRandom.current().nextLong();
		List<GroupHistory> histories = LongStream.range(0, SIDE_BY_SIDE)
			.mapToObj((index) -> new GroupHistory(scripts, seed + index))
			.toList();
		List<String> faults = new ArrayList<>();
		long end = System.nanoTime() + atMost.toNanos();
		while (faults.isEmpty() && end - System.nanoTime() > 0) {
			for (GroupHistory history : histories) {
				history.step();
				if (history.fault() != null) {
					faults.add(history.fault() + ", with seed " + seed);
				}
			}
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}
		return faults;
	}

	/**
	 * A release between the two steps leaves the lock to the end that it finds.
	 */
	@Test
	void lockThatIsLengthenedAfterTheMemberLastsLongEnoughWhateverHappensInBetween() {
		GroupScripts scripts = GroupScripts.of(COMMANDS);
		String key = RedisTestClient.newKey();
		String member = OwnerId.random().value();
		String other = OwnerId.random().value();
		scripts.enter(key, member, 0, Duration.ofSeconds(20));
		scripts.enter(key, other, 0, Duration.ofSeconds(30));

		scripts.renewMemberAlone(key, member, Duration.ofSeconds(50));
		scripts.release(key, other, 0, Duration.ZERO);
		scripts.renewLockAlone(key, 0, Duration.ofSeconds(50));

		assertThat(lockEndsBeforeItsMember(key)).isFalse();
	}

	@Test
	void lockThatIsLengthenedBeforeTheMemberMayEndTooEarly() {
		GroupScripts scripts = GroupScripts.of(COMMANDS);
		String key = RedisTestClient.newKey();
		String member = OwnerId.random().value();
		String other = OwnerId.random().value();
		scripts.enter(key, member, 0, Duration.ofSeconds(20));
		scripts.enter(key, other, 0, Duration.ofSeconds(30));

		scripts.renewLockAlone(key, 0, Duration.ofSeconds(50));
		scripts.release(key, other, 0, Duration.ZERO);
		scripts.renewMemberAlone(key, member, Duration.ofSeconds(50));

		assertThat(lockEndsBeforeItsMember(key)).isTrue();
	}

	private static boolean lockEndsBeforeItsMember(String key) {
		String lock = RedisTestClient.PREFIX + "{" + key + "}";
		double latest = COMMANDS.zrangeWithScores(lock + ":s", -1, -1).get(0).getScore();
		return COMMANDS.pexpiretime(lock) < latest;
	}

	enum Rule {

		LOCK_ENDS_WITH_THE_LATEST_MEMBER_THAT_ENTERED(
				"redis.call('ZADD', KEYS[4], ends, ARGV[1])\nsettle(KEYS[1], KEYS[4], KEYS[5], latest(",
				"redis.call('ZADD', KEYS[4], ends, ARGV[1])\nsettle(KEYS[1], KEYS[4], KEYS[5], ends or latest("),

		RENEWAL_LEAVES_THE_LOCK("settle(lock, members, tokens, math.max(", "settle(tokens, members, tokens, math.max("),

		RENEWAL_SHORTENS_THE_LOCK("math.max(ends, latest(", "(ends or latest("),

		RELEASE_LEAVES_THE_LOCK_TO_THE_FIRST_END("local ends = latest(redis.call('ZRANGE', KEYS[1], -1, -1,",
				"local ends = latest(redis.call('ZRANGE', KEYS[1], 0, 0,"),

		ANY_RELEASE_DELETES_THE_LOCK("local ended = not ends or ends <= millis", "local ended = true"),

		LAST_RELEASE_LEAVES_THE_LOCK("redis.call('DEL', KEYS[2], KEYS[1], KEYS[3])", ""),

		MEMBERS_EXPIRE_AS_FIRST_SET("redis.call('PEXPIREAT', members, ends + 1000)",
				"if redis.call('PTTL', members) < 0 then redis.call('PEXPIREAT', members, ends + 200) end"),

		MEMBERS_OF_THE_FORMER_GROUP_STAY("redis.call('DEL', KEYS[4], KEYS[5])", ""),

		EXPIRED_MEMBERS_ARE_REVIVED("if present and present > millis then", "if present then"),

		ONE_END_FOR_ALL_MEMBERS("redis.call('ZADD', members, 'XX', 'GT', ends, member)",
				"for _, each in ipairs(redis.call('ZRANGE', members, 0, -1)) do\n"
						+ "redis.call('ZADD', members, 'XX', 'GT', ends, each)\nend"),

		KINDS_MIX("if holder and holder ~= ARGV[4] then",
				"if holder and holder ~= 'shared' and holder ~= 'permits' then"),

		MEMBERS_ARE_NOT_COUNTED("elseif holder and ARGV[7] ~= '0' and", "elseif false and"),

		ONE_MEMBER_TOO_MANY(">= tonumber(ARGV[7])", "> tonumber(ARGV[7])"),

		EXPIRED_MEMBERS_COUNT("redis.call('ZCOUNT', KEYS[4], live, '+inf') >= tonumber(ARGV[7]) then",
				"redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[7]) then\nrest = 1\nelseif false then"),

		COOLDOWN_KEEPS_NO_PLACE("redis.call('ZADD', KEYS[1], millis + ARGV[4],",
				"redis.call('ZADD', KEYS[1], 'XX', millis + ARGV[4],"),

		ATTEMPT_IS_GRANTED_TWICE("if range then", "if false then");

		private final String text;

		private final String broken;

		Rule(String text, String broken) {
			this.text = text;
			this.broken = broken;
		}

	}

}
