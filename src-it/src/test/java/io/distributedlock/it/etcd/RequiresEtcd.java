package io.distributedlock.it.etcd;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.it.process.RequiresProgram;

/**
 * Needs an {@code etcd}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@RequiresProgram(value = "etcd", debianPackage = "etcd-server")
public @interface RequiresEtcd {

}
