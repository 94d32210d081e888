package io.distributedlock.it.sample;

import java.io.IOException;
import java.net.URI;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What there is to click on the sample's page, in a real browser.
 */
class SamplePageIntegrationTests extends SamplePageContract {

	@Test
	void pagesOfTwoInstancesCanBeToldApart() {
		String border = "return getComputedStyle(document.body).borderTopColor";

		assertThat(page.text("#instance")).isEqualTo(FIRST);
		assertThat(other.text("#instance")).isEqualTo(SECOND);
		assertThat(page.browser().<String>run("return document.title")).startsWith(FIRST);
		assertThat(page.browser().<String>run(border)).isNotEqualTo(other.browser().<String>run(border));
	}

	@Test
	void reservationTakesOneFromTheStockOnBothPages() {
		page.click("order:1", "reserve");

		page.awaitOutcome("order:1", "Reserved one; 9 left");
		page.awaitText(SamplePage.lock("order:1") + ".events", (events) -> events.contains("Acquired after"));
		page.awaitText(SamplePage.lock("order:1") + ".stock", "9 in stock"::equals);
		other.awaitText(SamplePage.lock("order:1") + ".stock", "9 in stock"::equals);
	}

	@Test
	void staleWriteOfAStalledHolderIsRefused() {
		String outcome = SamplePage.lock("order:1") + ".outcome";
		await().atMost(SampleContract.PATIENCE).until(() -> {
			page.click("order:1", "stall");
			page.awaitHolder("order:1", "Held by " + FIRST + "\ntoken ");
			page.awaitText(outcome, (text) -> text.contains("refused") || text.contains("rolled back"));
			// On a busy machine the other client may be too late.
			return page.text(outcome).startsWith("Stale write refused");
		});

		page.awaitText(SamplePage.lock("order:1") + ".events",
				(events) -> events.contains("Stale write refused token"));
	}

	@Test
	void releaseByForceOnOnePageNotifiesTheHolderOnTheOther() {
		page.click("order:2", "pack");
		other.awaitHolder("order:2", "Held by " + FIRST);
		String bar = SamplePage.lock("order:2") + ".bar";
		await().atMost(SampleContract.PATIENCE)
			.until(() -> Integer.parseInt(other.attribute(bar, "aria-valuenow")) > 0);

		other.click("order:2", "release");

		other.awaitOutcome("order:2", "Released by force");
		page.awaitOutcome("order:2", "Packing stopped: the holder was notified");
		page.awaitText(SamplePage.lock("order:2") + ".events",
				(events) -> events.contains("Holder notified") && events.contains("taken away"));
		page.awaitHolder("order:2", "Free");
	}

	@Test
	void callsThatWaitAreShownAndGoOnAfterTheRelease() {
		page.click("order:3", "pack");
		page.awaitHolder("order:3", "Held by");
		page.click("order:3", "reserve");
		page.click("order:3", "reserve");
		page.awaitText(SamplePage.lock("order:3") + ".waiters", (waiters) -> waiters.startsWith("2 waiting here"));

		page.click("order:3", "release");

		page.awaitText(SamplePage.lock("order:3") + ".stock", "8 in stock"::equals);
		page.awaitText(SamplePage.lock("order:3") + ".waiters", "No call waits here"::equals);
	}

	@Test
	void storeThatIsAwayIsUnavailableOnItsInstanceAlone() {
		page.browser().click("#store-switch");
		try {
			page.awaitText("#store-state", (state) -> state.startsWith("Away"));
			page.awaitHolder("order:1", "Last seen free");
			page.click("order:1", "reserve");
			other.click("order:1", "reserve");

			other.awaitOutcome("order:1", "Reserved one; 9 left");
			page.awaitOutcome("order:1", "The store or the database can't be asked (503)");
		}
		finally {
			page.browser().click("#store-switch");
		}

		page.awaitText("#store-state", "Answers"::equals);
		page.click("order:1", "reserve");
		page.awaitOutcome("order:1", "Reserved one; 8 left");
	}

	@Test
	void runsOfTheScheduledCountAreShownByInstance() {
		page.awaitText("#run-summary", (summary) -> summary.startsWith("Of the last 8: "));
		String newest = page.text("#run-rows tr:first-child td");

		page.awaitText("#run-rows tr:first-child td", (run) -> !run.equals(newest));

		List<String> instances = page.browser()
			.run("return [...document.querySelectorAll('#run-rows .instance')].map((each) => each.innerText)");
		assertThat(instances).hasSize(8).allMatch((instance) -> instance.equals(FIRST) || instance.equals(SECOND));
	}

	@Test
	void pageReconnectsByItself() {
		try (TcpProxy proxy = TcpProxy.to(first.address().getPort())) {
			page.open(URI.create("http://127.0.0.1:" + proxy.port()));
			proxy.cut();
			page.awaitText("#connection", (text) -> text.startsWith("Connection lost"));
			first.put("/orders/1?stock=77");

			proxy.restore();

			page.awaitText("#connection", "Live"::equals);
			page.awaitText(SamplePage.lock("order:1") + ".stock", "77 in stock"::equals);
		}
	}

	@Test
	void openPageDoesNotHoldUpTheStopOfItsInstance() throws IOException, InterruptedException {
		SampleInstance third = SampleInstance.await(launch("orders:8082"));
		page.open(third.address());

		third.process().stop();

		assertThat(third.process().output()).anyMatch((line) -> line.contains("Graceful shutdown complete"));
		page.awaitText("#connection", (text) -> text.startsWith("Connection lost"));
	}

}
