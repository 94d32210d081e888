package io.distributedlock.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.benchmarks.local.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BuildLoaderTests {

	private final Address address = new LocalLocks().start();

	@Test
	void aBuildIsLoadedBesideTheCurrentOne() throws Exception {
		try (Side side = BuildLoader.subjectOf(currentBuild()).apply(this.address)) {
			assertThat(side.getClass().getName()).isEqualTo(SubjectSide.class.getName());
			assertThat(side).isNotInstanceOf(SubjectSide.class);
			Class<?> template = side.getClass().getMethod("template").getReturnType();
			assertThat(template.getName()).isEqualTo(LockTemplate.class.getName());
			assertThat(template).isNotEqualTo(LockTemplate.class);
			side.acquire("key").release();
			side.acquire("key").release();
		}
	}

	@Test
	void whatABuildLacksIsNotTakenFromTheCurrentOne(@TempDir Path empty) {
		assertThatIllegalArgumentException().isThrownBy(() -> BuildLoader.subjectOf(empty).apply(this.address))
			.withMessageContaining(empty.toString());
	}

	private static Path currentBuild() throws URISyntaxException {
		return Path.of(LockTemplate.class.getProtectionDomain().getCodeSource().getLocation().toURI());
	}

}
