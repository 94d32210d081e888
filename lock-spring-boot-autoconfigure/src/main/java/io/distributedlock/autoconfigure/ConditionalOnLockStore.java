package io.distributedlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches when a store is to be set up: {@code lock.backends} lists it, or
 * {@code lock.backend} names it where there is no list, or nothing names any and the
 * application has no {@link io.distributedlock.spi.LockBackend} of its own; and the store
 * is there.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockStoreCondition.class)
@interface ConditionalOnLockStore {

	/**
	 * The store.
	 */
	Class<? extends LockStore> value();

}
