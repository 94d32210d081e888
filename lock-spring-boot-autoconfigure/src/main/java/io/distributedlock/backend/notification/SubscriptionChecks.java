package io.distributedlock.backend.notification;

import java.time.Duration;

/**
 * How subscriptions are checked while there are waiters. Checks are needed because a
 * connection that a firewall has dropped is as silent as one without releases. Public for
 * the stores only.
 *
 * @param interval the time between two checks of a subscription
 * @param timeout how long a check may take before the subscription counts as broken
 * @since 0.1.0
 */
public record SubscriptionChecks(Duration interval, Duration timeout) {
}
