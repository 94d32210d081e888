package io.distributedlock.contract;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets all tests of a run wait for as long as a busy machine may need. A test whose
 * condition never holds fails anyway; how late it fails does not matter.
 *
 * @since 0.1.0
 */
public final class PatientWaits implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
	}

}
