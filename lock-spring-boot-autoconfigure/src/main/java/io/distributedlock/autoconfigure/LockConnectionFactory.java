package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Qualifies the {@code RedisConnectionFactory} that leads to the Redis of the locks,
 * where it is another one than that of the application: a server that evicts nothing, or
 * connections that large values do not keep waiting.
 * <p>
 * Declare the bean with {@code @Bean(defaultCandidate = false)}: otherwise Spring Boot
 * configures no {@code RedisConnectionFactory} beside it.
 *
 * @since 0.1.0
 */
@Target({ ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface LockConnectionFactory {

}
