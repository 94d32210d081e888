package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.process.RequiresProgram;
import io.distributedlock.it.sample.Browser.Screen;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the sample side by side, each with a window of a real browser.
 */
@RequiresProgram(value = "chromedriver", debianPackage = "chromium-driver")
abstract class SamplePageContract {

	static final String FIRST = "orders:8080";

	static final String SECOND = "orders:8081";

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	@TempDir
	static Path folder;

	static SampleInstance first;

	static SampleInstance second;

	static SamplePage page;

	static SamplePage other;

	@BeforeAll
	static void start() throws IOException, InterruptedException {
		JavaProcess one = launch(FIRST);
		JavaProcess two = launch(SECOND);
		first = SampleInstance.await(one);
		second = SampleInstance.await(two);
		page = new SamplePage(first.address());
		other = new SamplePage(second.address());
	}

	static JavaProcess launch(String name) throws IOException {
		return SampleInstance.launch(processes, name, folder, SampleInstance.application(), List.of());
	}

	@AfterAll
	static void close() {
		Stream.of(page, other).filter((each) -> each != null).forEach(SamplePage::close);
	}

	@BeforeEach
	void open() {
		for (SamplePage each : List.of(page, other)) {
			each.browser().show(Screen.DESKTOP, "light");
		}
		page.open(first.address());
		other.open(second.address());
		first.post("/store/back");
		makeQuiet();
	}

	/**
	 * Let all that holds and waits end, and fill up the stock.
	 */
	static void makeQuiet() {
		for (int order = 1; order <= 3; order++) {
			first.post("/locks/release?key=order:" + order);
			String stock = "/orders/" + order + "?stock=10";
			assertThat(SampleContract.insist(() -> first.put(stock)).status()).isEqualTo(200);
		}
	}

	@AfterEach
	void scriptsHaveCaughtAllExceptions() {
		for (SamplePage each : List.of(page, other)) {
			assertThat(each.browser().uncaught()).isEmpty();
		}
	}

	/**
	 * Make the page show holders, waiting calls and outcomes.
	 */
	static void makeBusy() {
		page.click("order:1", "pack");
		page.awaitHolder("order:1", "Held by");
		page.click("order:1", "reserve");
		page.awaitText(SamplePage.lock("order:1") + ".waiters", (waiters) -> waiters.startsWith("1 waiting here"));
		other.click("order:2", "pack");
		page.awaitHolder("order:2", "Held by " + SECOND);
	}

}
