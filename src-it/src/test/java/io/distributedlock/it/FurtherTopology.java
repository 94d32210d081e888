package io.distributedlock.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * Marks tests of a further topology, driver, transport or database of a store. The
 * store's first topology has the same contract, and runs with each build; these run with
 * {@code -Pfull}.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("topology")
public @interface FurtherTopology {

}
