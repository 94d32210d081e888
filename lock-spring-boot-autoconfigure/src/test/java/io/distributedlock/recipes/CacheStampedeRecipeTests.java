package io.distributedlock.recipes;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipe for a cache whose values are computed by one caller.
 */
class CacheStampedeRecipeTests {

	private final SharedCache cache = new SharedCache();

	private final Renderer renderer = new Renderer();

	private final RecipeInstances instances = new RecipeInstances(this.cache, this.renderer);

	private final ConfigurableApplicationContext instance = this.instances.start(Pages.class);

	private final Pages first = this.instance.getBean(Pages.class);

	private final Pages other = this.instances.start(Pages.class).getBean(Pages.class);

	@AfterEach
	void close() {
		this.renderer.goOn.countDown();
		this.instances.close();
	}

	@Test
	void missingPageIsRenderedOnceForAllCallersOfAllInstances() throws Exception {
		this.renderer.goOn.countDown();

		assertThat(SimultaneousCalls.of(8, (number) -> ((number % 2 == 0) ? this.first : this.other).page("home")))
			.hasSize(8)
			.containsOnly("home, version 1");
		assertThat(this.renderer.renderings).hasValue(1);
	}

	@Test
	void oneCallerRefreshesAStalePageAndOthersGetTheStaleOne() throws Exception {
		this.cache.put("home", new CachedPage("home, version 0", true));
		CompletableFuture<String> refreshing = CompletableFuture.supplyAsync(() -> this.first.freshPage("home"));
		this.renderer.begun.await();

		assertThat(this.first.freshPage("home")).isEqualTo("home, version 0");
		assertThat(this.other.freshPage("home")).isEqualTo("home, version 0");

		this.renderer.goOn.countDown();
		assertThat(refreshing.join()).isEqualTo("home, version 1");
		assertThat(this.other.freshPage("home")).isEqualTo("home, version 1");
		assertThat(this.renderer.renderings).hasValue(1);
	}

	@Test
	void stalePageIsServedWhileTheLocksAreAway() {
		this.cache.put("home", new CachedPage("home, version 0", true));
		this.instances.close();

		assertThat(this.first.freshPage("home")).isEqualTo("home, version 0");
		assertThat(this.renderer.renderings).hasValue(0);
	}

	@Test
	void stalePageIsServedIfTheLeaseIsLost() throws Exception {
		this.cache.put("home", new CachedPage("home, version 0", true));
		CompletableFuture<String> refreshing = CompletableFuture.supplyAsync(() -> this.first.freshPage("home"));
		this.renderer.begun.await();

		assertThat(this.instance.getBean(Locks.class).forceRelease("page:home")).isTrue();
		this.renderer.goOn.countDown();

		assertThat(refreshing.join()).isEqualTo("home, version 0");
		assertThat(this.renderer.renderings).hasValue(1);
	}

	public static class Pages {

		private final LockTemplate template;

		private final SharedCache cache;

		private final Renderer renderer;

		Pages(LockTemplate template, SharedCache cache, Renderer renderer) {
			this.template = template;
			this.cache = cache;
			this.renderer = renderer;
		}

		// tag::stampede-missing[]
		public String page(String id) {
			CachedPage page = this.cache.find(id)
				.orElseGet(() -> this.template.execute("page:" + id,
						(lease) -> this.cache.find(id).orElseGet(() -> render(id))));
			return page.text();
		}
		// end::stampede-missing[]

		// tag::stampede-stale[]
		public String freshPage(String id) {
			CachedPage page = this.cache.find(id).orElseThrow();
			if (!page.stale()) {
				return page.text();
			}
			try {
				return this.template.tryExecute("page:" + id, (lease) -> render(id)).orElse(page).text();
			}
			catch (LockUnavailableException | LeaseLostException ex) {
				return page.text();
			}
		}
		// end::stampede-stale[]

		private CachedPage render(String id) {
			CachedPage page = new CachedPage(this.renderer.render(id), false);
			this.cache.put(id, page);
			return page;
		}

	}

	record CachedPage(String text, boolean stale) {

	}

	/**
	 * A cache that all instances share.
	 */
	static class SharedCache {

		private final Map<String, CachedPage> pages = new ConcurrentHashMap<>();

		Optional<CachedPage> find(String id) {
			return Optional.ofNullable(this.pages.get(id));
		}

		void put(String id, CachedPage page) {
			this.pages.put(id, page);
		}

	}

	/**
	 * Renders pages, which takes until the test lets it go on.
	 */
	static class Renderer {

		private final AtomicInteger renderings = new AtomicInteger();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		String render(String id) {
			this.begun.countDown();
			try {
				this.goOn.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return id + ", version " + this.renderings.incrementAndGet();
		}

	}

}
