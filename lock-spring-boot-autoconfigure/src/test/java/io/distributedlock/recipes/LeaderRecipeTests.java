package io.distributedlock.recipes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.OnGrantedEvent;

import io.distributedlock.documentation.ShownProperties;
import io.distributedlock.integration.Leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipe for a leader that works for as long as it leads.
 */
class LeaderRecipeTests {

	private final Imports imports = new Imports();

	private final RecipeInstances instances = new RecipeInstances(this.imports);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void leaderDoesTheWorkUntilAnotherOneFollowsIt() {
		ConfigurableApplicationContext first = start();
		this.imports.files.addAll(List.of("a", "b"));
		await().until(() -> this.imports.done.size() == 2);
		start();

		first.close();
		this.imports.files.addAll(List.of("c", "d"));

		await().until(() -> this.imports.done.size() == 4);
		assertThat(this.imports.done).extracting(Import::file).containsExactly("a", "b", "c", "d");
		long firstToken = this.imports.done.get(1).token();
		assertThat(this.imports.done.get(0).token()).isEqualTo(firstToken);
		assertThat(this.imports.done.get(2).token()).isGreaterThan(firstToken);
		assertThat(this.imports.done.get(3).token()).isEqualTo(this.imports.done.get(2).token());
	}

	private ConfigurableApplicationContext start() {
		List<String> properties = new ArrayList<>(List.of(ShownProperties.of("recipe-leader")));
		properties.add("lock.leader-election.heart-beat=300ms");
		return this.instances.start(Importer.class, properties.toArray(String[]::new));
	}

	static class Importer {

		private final Imports imports;

		Importer(Imports imports) {
			this.imports = imports;
		}

		// tag::leader[]
		@EventListener(condition = "#event.role == 'imports'")
		void lead(OnGrantedEvent event) throws InterruptedException {
			Leadership leadership = (Leadership) event.getContext();
			while (leadership.isLeader()) {
				this.imports.next(leadership.fencingToken());
			}
		}
		// end::leader[]

	}

	record Import(String file, long token) {

	}

	/**
	 * The files that wait for the leader, and those that it has imported.
	 */
	static class Imports {

		private final BlockingQueue<String> files = new LinkedBlockingQueue<>();

		private final List<Import> done = new CopyOnWriteArrayList<>();

		void next(long token) throws InterruptedException {
			this.done.add(new Import(this.files.take(), token));
		}

	}

}
