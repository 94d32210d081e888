package io.distributedlock.sample;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One run of the stock count.
 *
 * @param run its number
 * @param instance the instance that it ran on
 * @param startedAt when it started, by the database's clock
 * @param endedAt when it ended, or {@code null} while it runs or if its process died
 * @param total the sum of all stock, or {@code null} until it is known
 */
public record CountRun(long run, String instance, Instant startedAt, @Nullable Instant endedAt, @Nullable Long total) {

}
