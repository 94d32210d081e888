package io.distributedlock.it.sample;

import java.net.URI;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import io.distributedlock.it.process.InstalledPrograms;

/**
 * A headless Chromium with one window, driven by its own driver. It reaches this machine
 * and nothing else.
 */
final class Browser implements AutoCloseable {

	private static final List<String> OPTIONS = List.of("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
			"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");

	// It warns of each Chromium for whose own protocol it has no classes.
	private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

	static {
		SELENIUM.setLevel(Level.SEVERE);
	}

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	static Browser start() {
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(program("chromedriver").toFile())
			.usingAnyFreePort()
			.build();
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(program("chromium").toFile());
		options.addArguments(OPTIONS);
		options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
		return new Browser(new ChromeDriver(service, options));
	}

	private static Path program(String name) {
		return InstalledPrograms.find(name).orElseThrow();
	}

	void open(URI address) {
		this.driver.get(address.toString());
	}

	/**
	 * Show pages as on a screen of this size and in this theme.
	 * @param screen the screen
	 * @param theme {@code light} or {@code dark}
	 */
	void show(Screen screen, String theme) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride", Map.of("width", screen.width(), "height",
				screen.height(), "deviceScaleFactor", 1, "mobile", screen.isPhone()));
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
	}

	/**
	 * Run a script of the page's own language and return its result.
	 */
	@SuppressWarnings("unchecked")
	<T> T run(String script, Object... arguments) {
		return (T) this.driver.executeScript(script, arguments);
	}

	/**
	 * Run a script that calls its last argument with the result.
	 */
	@SuppressWarnings("unchecked")
	<T> T runAsync(String script, Object... arguments) {
		return (T) this.driver.executeAsyncScript(script, arguments);
	}

	/**
	 * Click what is in the middle of an element, as a mouse does.
	 */
	void click(String selector) {
		this.driver.findElement(By.cssSelector(selector)).click();
	}

	/**
	 * Press a key, wherever the focus is.
	 */
	void press(Keys key) {
		new Actions(this.driver).sendKeys(key).perform();
	}

	/**
	 * Return the exceptions that scripts have not caught since the last call.
	 */
	List<String> uncaught() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.map(LogEntry::getMessage)
			.filter((message) -> message.contains("Uncaught"))
			.toList();
	}

	/**
	 * Return a picture of the whole page, as PNG.
	 */
	byte[] picture() {
		Map<String, Object> size = run("const page = document.documentElement;"
				+ " return { width: page.clientWidth, height: document.body.scrollHeight };");
		Map<String, Object> clip = Map.of("x", 0, "y", 0, "scale", 1, "width", size.get("width"), "height",
				size.get("height"));
		Map<String, Object> picture = this.driver.executeCdpCommand("Page.captureScreenshot",
				Map.of("format", "png", "captureBeyondViewport", true, "clip", clip));
		return Base64.getDecoder().decode((String) picture.get("data"));
	}

	@Override
	public void close() {
		this.driver.quit();
	}

	/**
	 * A screen.
	 */
	enum Screen {

		DESKTOP(1280, 900), PHONE(360, 740);

		private final int width;

		private final int height;

		Screen(int width, int height) {
			this.width = width;
			this.height = height;
		}

		int width() {
			return this.width;
		}

		int height() {
			return this.height;
		}

		boolean isPhone() {
			return this == PHONE;
		}

	}

}
