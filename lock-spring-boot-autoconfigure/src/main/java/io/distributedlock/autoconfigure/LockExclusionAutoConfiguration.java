package io.distributedlock.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Import;

import io.distributedlock.aop.DistributedLockAopConfiguration;
import io.distributedlock.aop.MissingLocksConfiguration;

/**
 * Auto-configuration for applications that exclude {@link LockAutoConfiguration}. Fails
 * the startup if a bean has {@link io.distributedlock.DistributedLock} methods, because
 * they would run without a lock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnMissingBean(DistributedLockAopConfiguration.class)
@Import(MissingLocksConfiguration.class)
public final class LockExclusionAutoConfiguration {

}
