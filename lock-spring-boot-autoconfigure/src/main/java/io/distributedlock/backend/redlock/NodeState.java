package io.distributedlock.backend.redlock;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a node's state key, the same for all clients. It is changed by compare
 * and set only.
 */
sealed interface NodeState {

	/**
	 * All tokens are smaller, since nodes count in doubles.
	 */
	long LARGEST_TOKEN = 1L << 53;

	/**
	 * Return the text that is stored.
	 */
	String literal();

	/**
	 * Return the incarnation of the node that it was written for.
	 */
	String incarnation();

	/**
	 * Return the server that it was written for: the {@code run_id} of the incarnation.
	 */
	default String runId() {
		int dot = incarnation().indexOf('.');
		return (dot >= 0) ? incarnation().substring(0, dot) : incarnation();
	}

	/**
	 * Return a hash of the settings on which the clients that wrote it agree.
	 */
	String configHash();

	/**
	 * Parse the stored text.
	 * @return the state, or empty if the text has another form
	 */
	static Optional<NodeState> parse(String literal) {
		Matcher voting = Voting.PATTERN.matcher(literal);
		if (voting.matches()) {
			NodeHighWaterMark floor = new NodeHighWaterMark(Long.parseLong(voting.group(3)),
					Long.parseLong(voting.group(4)));
			return (floor.token() < LARGEST_TOKEN) ? Optional.of(new Voting(voting.group(1), voting.group(2), floor))
					: Optional.empty();
		}
		Matcher quarantine = Quarantine.PATTERN.matcher(literal);
		if (quarantine.matches()) {
			return Optional.of(new Quarantine(quarantine.group(1), quarantine.group(2), quarantine.group(3)));
		}
		return Optional.empty();
	}

	/**
	 * The node votes.
	 *
	 * @param incarnation the incarnation
	 * @param configHash the hash of its clients' settings
	 * @param floor the token and the tick up to which the node may have forgotten others
	 */
	record Voting(String incarnation, String configHash, NodeHighWaterMark floor) implements NodeState {

		private static final Pattern PATTERN = Pattern.compile("ok:([^:]+):([^:]+):(\\d{1,18}):(\\d{1,18})");

		@Override
		public String literal() {
			return "ok:" + this.incarnation + ":" + this.configHash + ":" + this.floor.token() + ":"
					+ this.floor.tick();
		}

	}

	/**
	 * The node may have forgotten its locks, and does not vote.
	 *
	 * @param incarnation the incarnation
	 * @param configHash the hash of its clients' settings
	 * @param nonce makes each quarantine unique: a node that is emptied twice keeps its
	 * incarnation. A client that saw only the beginning of the first quarantine would
	 * take the second for the same and end it too early
	 */
	record Quarantine(String incarnation, String configHash, String nonce) implements NodeState {

		private static final Pattern PATTERN = Pattern.compile("q:([^:]+):([^:]+):([^:]+)");

		@Override
		public String literal() {
			return "q:" + this.incarnation + ":" + this.configHash + ":" + this.nonce;
		}

	}

}
