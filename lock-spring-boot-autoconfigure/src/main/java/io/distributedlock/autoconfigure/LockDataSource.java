package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifies a {@link javax.sql.DataSource} for locks alone, apart from that of the
 * application. Callers that hold connections while they wait for a lock can then not
 * exhaust the pool of the locks.
 * <p>
 * Declare the bean with {@code @Bean(defaultCandidate = false)}: otherwise Spring Boot
 * does not configure a {@code DataSource} for the application.
 *
 * @since 0.1.0
 */
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface LockDataSource {

}
