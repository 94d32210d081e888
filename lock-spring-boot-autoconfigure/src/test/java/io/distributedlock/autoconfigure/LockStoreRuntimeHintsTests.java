package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockStoreRuntimeHints}.
 */
class LockStoreRuntimeHintsTests {

	@Test
	void everyResourceThatCodeReadsIsIncluded() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new LockStoreRuntimeHints().registerHints(hints, null);

		assertThat(resources()).hasSizeGreaterThan(50)
			.allSatisfy((resource) -> assertThat(RuntimeHintsPredicates.resource().forResource(resource)).as(resource)
				.accepts(hints));
	}

	private static List<String> resources() throws IOException, URISyntaxException {
		Path classes = Path.of(LockProperties.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (Stream<Path> files = Files.walk(classes.resolve("io/distributedlock"))) {
			return files.filter(Files::isRegularFile)
				.map((file) -> classes.relativize(file).toString())
				.filter((file) -> !file.endsWith(".class"))
				.toList();
		}
	}

	@Test
	void hintsAreFoundByThoseWhoProcessAheadOfTime() {
		SpringFactoriesLoader loader = SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories");

		assertThat(loader.load(RuntimeHintsRegistrar.class)).hasAtLeastOneElementOfType(LockStoreRuntimeHints.class);
	}

}
