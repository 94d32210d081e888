package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;

/**
 * Logs once, at startup, where locks are kept and what that guarantees.
 *
 * @param engine the engine of the store
 */
record StartupReport(LockEngine engine) {

	private static final Logger logger = LoggerFactory.getLogger(StartupReport.class);

	void log() {
		logger.info("Locks are kept in {}: {}", this.engine.description(), text());
	}

	String text() {
		EngineSettings settings = this.engine.settings();
		BackendTraits traits = this.engine.backend().traits();
		return (traits.fencing() ? "fencing tokens grow strictly" : "no fencing tokens") + ", "
				+ (traits.ticks() ? "one run per tick" : "no ticks") + ", "
				+ ((traits.leaseKind() == LeaseKind.PER_SESSION) ? "leases end with the session of this process"
						: "leases end with their ttl")
				+ ", ttl " + text(settings.ttl()) + ", renewed every " + text(settings.ttl().dividedBy(3));
	}

	private static String text(Duration time) {
		return time.truncatedTo(ChronoUnit.SECONDS).equals(time) ? time.toSeconds() + " s" : time.toMillis() + " ms";
	}

}
