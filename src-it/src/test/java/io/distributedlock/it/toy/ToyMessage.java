package io.distributedlock.it.toy;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A line of the protocol: words with blanks between them, each in the encoding of URLs.
 *
 * @param number the number of the request, which its answer repeats; {@link #RELEASE} if
 * there was no request
 * @param words the words of the request or answer
 */
record ToyMessage(long number, List<String> words) {

	/**
	 * The number of messages that report a release.
	 */
	static final long RELEASE = 0;

	static ToyMessage of(long number, List<?> words) {
		return new ToyMessage(number, words.stream().map(String::valueOf).toList());
	}

	static ToyMessage parse(String line) {
		List<String> words = Stream.of(line.split(" ", -1))
			.map((word) -> URLDecoder.decode(word, StandardCharsets.UTF_8))
			.toList();
		return new ToyMessage(Long.parseLong(words.get(0)), words.subList(1, words.size()));
	}

	String line() {
		return Stream.concat(Stream.of(Long.toString(this.number)), this.words.stream())
			.map((word) -> URLEncoder.encode(word, StandardCharsets.UTF_8))
			.collect(Collectors.joining(" "));
	}

	String text(int index) {
		return this.words.get(index);
	}

	long integer(int index) {
		return Long.parseLong(text(index));
	}

}
