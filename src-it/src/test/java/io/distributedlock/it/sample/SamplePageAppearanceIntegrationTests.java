package io.distributedlock.it.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.openqa.selenium.Keys;

import io.distributedlock.it.sample.Browser.Screen;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the sample's page looks and is used: by keyboard, on a phone, in both themes, with
 * assistive technology. {@code -Dsample.screenshots} makes the pictures of the
 * documentation.
 */
class SamplePageAppearanceIntegrationTests extends SamplePageContract {

	private static final Path PICTURES = Path.of("..", "docs", "images");

	@Test
	void allControlsAreReachedAndPressedByKeyboard() {
		page.awaitText(SamplePage.lock("stock-count") + "h3", "stock-count"::equals);
		List<String> controls = page.browser()
			.run("return [...document.querySelectorAll('a, button')].map((each) => each.textContent)");
		List<String> reached = new ArrayList<>();
		for (int i = 0; i < controls.size(); i++) {
			page.browser().press(Keys.TAB);
			reached.add(page.browser().run("return document.activeElement.textContent"));
			assertThat(page.browser().<String>run("return getComputedStyle(document.activeElement).outlineStyle"))
				.isEqualTo("solid");
		}
		assertThat(reached).isEqualTo(controls).contains("Reserve order:1", "Force release stock-count");

		focus("#store-switch");
		page.browser().press(Keys.SPACE);
		page.awaitText("#store-state", (state) -> state.startsWith("Away"));
		page.browser().press(Keys.SPACE);
		page.awaitText("#store-state", "Answers"::equals);
		page.browser().press(Keys.TAB);
		page.browser().press(Keys.ENTER);
		page.awaitOutcome("order:1", "Reserved one; 9 left");
		page.awaitText(SamplePage.lock("order:1") + ".stock", "9 in stock"::equals);
		assertThat(page.browser().<String>run("return document.activeElement.textContent"))
			.isEqualTo("Reserve order:1");
	}

	private static void focus(String selector) {
		page.browser().run("document.querySelector(arguments[0]).focus()", selector);
	}

	@ParameterizedTest
	@EnumSource
	void everythingFitsTheScreen(Screen screen) {
		page.browser().show(screen, "light");
		makeBusy();

		Long width = page.browser().run("return document.documentElement.scrollWidth");
		Long smallest = page.browser()
			.run("return Math.min(...[...document.querySelectorAll('button')]"
					+ ".flatMap((each) => [each.offsetWidth, each.offsetHeight]))");

		assertThat(width).isLessThanOrEqualTo(screen.width());
		assertThat(smallest).isGreaterThanOrEqualTo(44);
	}

	@ParameterizedTest
	@CsvSource({ "DESKTOP,light", "DESKTOP,dark", "PHONE,light", "PHONE,dark" })
	void pageIsAccessible(Screen screen, String theme) throws IOException {
		page.browser().show(screen, theme);
		makeBusy();
		assertAccessible();
		page.browser().click("#store-switch");
		page.awaitText("#store-state", (state) -> state.startsWith("Away"));
		assertAccessible();
	}

	private static void assertAccessible() throws IOException {
		try (InputStream axe = SamplePageAppearanceIntegrationTests.class.getResourceAsStream("/axe.min.js")) {
			page.browser().run(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
		}
		Map<String, List<String>> found = page.browser().runAsync("""
				const done = arguments[0];
				const texts = (rules) => rules.flatMap((rule) => rule.nodes.map((node) => rule.id + ' ' + node.target));
				axe.run().then((found) => done({ violations: texts(found.violations), open: texts(found.incomplete),
					passes: found.passes.map((rule) => rule.id) }));""");
		assertThat(found.get("violations")).isEmpty();
		assertThat(found.get("open")).isEmpty();
		assertThat(found.get("passes")).contains("color-contrast", "aria-meter-name", "button-name", "region");
	}

	@Test
	@EnabledIfSystemProperty(named = "sample.screenshots", matches = "(true)?")
	void picturesOfTheDocumentationAreMade() throws IOException {
		page.click("order:3", "stall");
		page.awaitOutcome("order:3", "Stale write refused");
		for (Screen screen : Screen.values()) {
			for (String theme : List.of("light", "dark")) {
				makeBusy();
				page.browser().show(screen, theme);
				page.browser().run("scrollTo(0, 0); document.activeElement.blur()");
				Files.createDirectories(PICTURES);
				String name = "page-" + screen.name().toLowerCase(Locale.ROOT) + "-" + theme + ".png";
				Files.write(PICTURES.resolve(name), page.browser().picture());
				makeQuiet();
				page.awaitHolder("order:2", "Free");
			}
		}
	}

}
