package io.distributedlock.it.integration;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

import io.distributedlock.it.process.JavaProcess;

/**
 * A record of a JVM about a leadership.
 *
 * @param jvm the JVM
 * @param what {@code granted}, {@code revoked} or {@code led}
 * @param store the store
 * @param token the fencing token
 * @param at when, or the beginning
 * @param until the latest time at which it was seen, for {@code led}
 */
record LeaderNews(String jvm, String what, String store, long token, long at, long until) {

	/**
	 * Read what JVMs have recorded about one store so far.
	 * @return the news in the order of their times
	 */
	static List<LeaderNews> of(List<JavaProcess> jvms, String store) {
		return jvms.stream()
			.flatMap((jvm) -> jvm.output().stream().flatMap((line) -> parse(jvm.name(), line).stream()))
			.filter((news) -> news.store.equals(store))
			.sorted(Comparator.comparingLong(LeaderNews::at))
			.toList();
	}

	static Optional<LeaderNews> parse(String jvm, String line) {
		if (!line.matches("(granted|revoked|led) \\w+ \\d+ \\d+( \\d+)?")) {
			return Optional.empty();
		}
		String[] words = line.split(" ");
		long at = Long.parseLong(words[3]);
		long until = (words.length > 4) ? Long.parseLong(words[4]) : at;
		return Optional.of(new LeaderNews(jvm, words[0], words[1], Long.parseLong(words[2]), at, until));
	}

	/**
	 * Add the end that a killed JVM could not record.
	 */
	static List<LeaderNews> endedBy(String killed, long killedAt, List<LeaderNews> news) {
		List<LeaderNews> all = new ArrayList<>(news);
		only(news, "granted").filter((granted) -> granted.jvm.equals(killed) && granted.end(news).isEmpty())
			.forEach((granted) -> all
				.add(new LeaderNews(killed, "revoked", granted.store, granted.token, killedAt, killedAt)));
		all.sort(Comparator.comparingLong(LeaderNews::at));
		return all;
	}

	/**
	 * Return the last grant, if its leader was not revoked since.
	 */
	static Optional<LeaderNews> leader(List<LeaderNews> news) {
		return news.stream()
			.filter((one) -> one.what.equals("granted") && one.end(news).isEmpty())
			.reduce((first, second) -> second);
	}

	/**
	 * Return the end of this grant, as it was published.
	 */
	Optional<LeaderNews> end(List<LeaderNews> news) {
		return news.stream()
			.filter((one) -> one.what.equals("revoked") && one.jvm.equals(this.jvm) && one.token == this.token
					&& one.at > this.at)
			.findFirst();
	}

	/**
	 * Return the times in which two JVMs led at once, as seen or as published.
	 * @param excused selects pairs for which only seen times count, and not published
	 * ones
	 */
	static List<String> overlaps(List<LeaderNews> news, BiPredicate<LeaderNews, LeaderNews> excused) {
		List<String> overlaps = new ArrayList<>();
		for (LeaderNews one : news) {
			news.stream()
				.filter((other) -> !other.jvm.equals(one.jvm) && other.at >= one.at)
				.filter((other) -> one.isSeenBeside(other)
						|| one.isToldBeside(other, news) && !excused.test(one, other))
				.forEach((other) -> overlaps.add(one + " beside " + other));
		}
		return overlaps;
	}

	private boolean isSeenBeside(LeaderNews later) {
		return this.what.equals("led") && later.what.equals("led") && later.at <= this.until;
	}

	private boolean isToldBeside(LeaderNews later, List<LeaderNews> news) {
		return this.what.equals("granted") && later.what.equals("granted")
				&& end(news).filter((end) -> end.at >= later.at).isPresent();
	}

	static Stream<LeaderNews> only(List<LeaderNews> news, String what) {
		return news.stream().filter((one) -> one.what.equals(what));
	}

	@Override
	public String toString() {
		return this.jvm + " " + this.what + " " + this.token + " " + this.at + " to " + this.until;
	}

}
