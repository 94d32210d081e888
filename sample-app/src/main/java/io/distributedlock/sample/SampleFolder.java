package io.distributedlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Creates the folder of the sample before anything is written to it, accessible only to
 * its user, because the file by which instances find the first one's database contains
 * the key to it.
 */
class SampleFolder implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

	private static final FileAttribute<?> OWNER_ONLY = PosixFilePermissions
		.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
		Path folder = Path.of(event.getEnvironment().getRequiredProperty("sample.folder"));
		if (!folder.isAbsolute()) {
			throw new IllegalStateException("The folder of the sample must be an absolute path, but is '" + folder
					+ "'. Change the property 'sample.folder'.");
		}
		boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
		try {
			Files.createDirectories(folder, posix ? new FileAttribute<?>[] { OWNER_ONLY } : new FileAttribute<?>[0]);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"The folder " + folder + " of the sample can't be made." + " Change the property 'sample.folder'.",
					ex);
		}
	}

}
