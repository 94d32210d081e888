package io.distributedlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if a store is selected and present. A store is selected if
 * {@code lock.backends} lists it, or if {@code lock.backend} names it and there is no
 * list. Without either property every store is selected, except those that are
 * {@linkplain LockStore#isUsedOnlyByName() used only by name}, unless the application has
 * a {@link io.distributedlock.spi.LockBackend} of its own.
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
