package io.distributedlock.backend.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.Renewal;

/**
 * Renewals that one script does.
 *
 * @param renewals the renewals
 * @param acks for how many replicas to wait then, if for any
 */
record RenewalBatch(List<Renewal> renewals, ScriptCall.@Nullable Acks acks) {

}
