package io.distributedlock.spi;

import java.time.Duration;

/**
 * What a connection knows of the session that keeps its leases, without asking the store.
 *
 * @param id the id of the session, as the tools of the store show it
 * @param validFor how long the leases of the session are valid without another proof that
 * it lives; zero if it has ended
 * @since 0.1.0
 */
public record SessionStatus(String id, Duration validFor) {

}
