package io.distributedlock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the endpoint of the locks.
 *
 * @param showValues When to show the keys of locks. Otherwise lists show ******.
 * @param roles Roles that are authorized to see the keys with when-authorized. Without
 * any, all authenticated users are.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("always") Show showValues, @DefaultValue Set<String> roles) {
}
