package io.distributedlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link SampleFolder}.
 */
class SampleFolderTests {

	@TempDir
	private Path home;

	@Test
	void folderIsMadeForItsUserAlone() throws IOException {
		Path folder = this.home.resolve("parent/sample");

		prepare(folder.toString());

		assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
	}

	@Test
	void folderThatIsThereIsUsed() throws IOException {
		Path file = Files.writeString(this.home.resolve("orders"), "data");

		prepare(this.home.toString());

		assertThat(file).hasContent("data");
	}

	@Test
	void folderThatDependsOnTheWorkingDirectoryIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> prepare("data"))
			.withMessage("The folder of the sample must be an absolute path, but is 'data'."
					+ " Change the property 'sample.folder'.");
	}

	@Test
	void folderThatCanNotBeMadeIsNamed() throws IOException {
		Path file = Files.writeString(this.home.resolve("file"), "no folder");

		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> prepare(file.toString()))
			.withMessage("The folder %s of the sample can't be made. Change the property 'sample.folder'.", file);
	}

	private static void prepare(String folder) {
		new SampleFolder().onApplicationEvent(new ApplicationEnvironmentPreparedEvent(new DefaultBootstrapContext(),
				new SpringApplication(), new String[0], new MockEnvironment().withProperty("sample.folder", folder)));
	}

}
