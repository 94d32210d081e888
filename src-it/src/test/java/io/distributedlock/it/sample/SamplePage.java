package io.distributedlock.it.sample;

import java.net.URI;
import java.time.Duration;
import java.util.function.Predicate;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * The page of the sample in a browser. Its parts are read anew each time, because the
 * page changes at any time.
 */
final class SamplePage implements AutoCloseable {

	private final Browser browser = Browser.start();

	private URI address;

	SamplePage(URI address) {
		this.address = address;
	}

	Browser browser() {
		return this.browser;
	}

	/**
	 * Load the page and wait until it shows a state.
	 */
	void open() {
		this.browser.open(this.address);
		awaitText("#connection", "Live"::equals);
	}

	/**
	 * Load the page from another address.
	 */
	void open(URI other) {
		this.address = other;
		open();
	}

	/**
	 * Return the text of an element as it is seen, empty if there is no such element.
	 */
	String text(String selector) {
		return this.browser.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector);
	}

	String attribute(String selector, String name) {
		return this.browser.run("return document.querySelector(arguments[0]).getAttribute(arguments[1])", selector,
				name);
	}

	void click(String key, String action) {
		this.browser.click(button(key, action));
	}

	static String button(String key, String action) {
		return lock(key) + "button[data-action=" + action + "]";
	}

	/**
	 * Return a selector of what is inside of the card of a lock.
	 */
	static String lock(String key) {
		return "[data-key='" + key + "'] ";
	}

	void awaitOutcome(String key, String begin) {
		awaitText(lock(key) + ".outcome", (text) -> text.startsWith(begin));
	}

	void awaitHolder(String key, String text) {
		awaitText(lock(key) + ".holder", (holder) -> holder.contains(text));
	}

	void awaitText(String selector, Predicate<String> expected) {
		await(selector).until(() -> text(selector), expected);
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(SampleContract.PATIENCE).pollInterval(Duration.ofMillis(100));
	}

	@Override
	public void close() {
		this.browser.close();
	}

}
