package io.distributedlock.it.rights;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rights of a Redis user by the reference, with the password {@code secret}.
 *
 * @param user the name
 * @param rights the parts of the rule
 */
public record AclRule(String user, List<String> rights) {

	/**
	 * The password of the reference.
	 */
	public static final String PASSWORD = "secret";

	private static final List<String> LOGIN = List.of("on", ">" + PASSWORD);

	/**
	 * Read a rule.
	 * @param block the name of the block in the reference
	 * @return the rule
	 */
	public static AclRule of(String block) {
		List<String> words = List.of(ReferenceBlock.line(block).split(" "));
		assertThat(words).startsWith("ACL", "SETUSER");
		assertThat(words.subList(3, 5)).isEqualTo(LOGIN);
		return new AclRule(words.get(2), words.subList(5, words.size()));
	}

	/**
	 * Return the rule of another user, without one of the rights.
	 * @param right the right
	 * @return the rule, for a user that is named after it
	 */
	public AclRule without(String right) {
		List<String> rest = this.rights.stream().filter((each) -> !each.equals(right)).toList();
		assertThat(rest).as("the rights without %s", right).hasSize(this.rights.size() - 1);
		return new AclRule("without" + right.replaceAll("\\W", ""), rest);
	}

	/**
	 * Return the rule of another user, with one right more.
	 * @param right the right
	 * @return the rule, for a user that is named after it
	 */
	public AclRule with(String right) {
		List<String> all = new ArrayList<>(this.rights);
		all.add(right);
		return new AclRule("with" + right.replaceAll("\\W", ""), all);
	}

	/**
	 * Return the rule of another user, which has further rights of the reference as well.
	 * @param block the name of the block in the reference that adds them
	 * @return the rule, for a user that is named after it
	 */
	public AclRule and(String block) {
		List<String> words = List.of(ReferenceBlock.line(block).split(" "));
		assertThat(words).startsWith("ACL", "SETUSER", this.user);
		List<String> all = new ArrayList<>(this.rights);
		all.addAll(words.subList(3, words.size()));
		return new AclRule(block, all);
	}

	/**
	 * Create the user.
	 * @param operator runs commands
	 * @return the answer
	 */
	public String create(RedisCommands<String, String> operator) {
		List<String> words = new ArrayList<>(List.of(this.user, "reset"));
		words.addAll(LOGIN);
		words.addAll(this.rights);
		return setUser(operator, words);
	}

	/**
	 * Change the user.
	 * @param operator runs commands
	 * @param change the rights to grant or revoke
	 * @return the answer
	 */
	public String change(RedisCommands<String, String> operator, String change) {
		return setUser(operator, List.of(this.user, change));
	}

	private static String setUser(RedisCommands<String, String> operator, List<String> words) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
		words.forEach(args::add);
		return operator.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

}
