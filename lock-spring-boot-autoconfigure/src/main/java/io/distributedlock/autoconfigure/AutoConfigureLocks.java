package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Gives a test the locks of this library, by default in memory: for slices such as
 * {@code @WebMvcTest} and {@code @DataJpaTest}, which start without them, so that
 * annotated methods run unlocked there and a {@code LockTemplate} is missing; and for
 * {@code @SpringBootTest} in place of the store of the application. Put on a test class.
 * With the local store {@link io.distributedlock.test.LocalLocks} is a bean.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("lock")
public @interface AutoConfigureLocks {

	/**
	 * Return the store that keeps the locks, as {@code lock.backend} names it; overrides
	 * what the application has set. Stores other than {@code local} need what they are
	 * reached by in the test's context.
	 * @return the store
	 */
	String backend() default "local";

}
