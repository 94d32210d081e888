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
 * Adds the locks of this library to a test, by default in memory. Put it on a test class.
 * Slices such as {@code @WebMvcTest} and {@code @DataJpaTest} start without locks:
 * annotated methods run unlocked, and there is no {@code LockTemplate}. In a
 * {@code @SpringBootTest} it replaces the store of the application. With the local store
 * {@link io.distributedlock.test.LocalLocks} is a bean.
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
	 * Return the store of the locks, by its name in {@code lock.backend}. Overrides the
	 * application's properties. For stores other than {@code local}, the test's context
	 * needs the connections to the store.
	 * @return the store
	 */
	String backend() default "local";

}
