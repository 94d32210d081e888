package io.distributedlock.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the application events of locks.
 *
 * @param verbose Whether each acquisition, hand-over and release is published, too.
 */
@ConfigurationProperties("lock.events")
record LockEventsProperties(@DefaultValue("false") boolean verbose) {

}
