package io.distributedlock.actuate;

import org.springframework.boot.WebApplicationType;

/**
 * The endpoint {@code locks} on Spring MVC on Tomcat.
 */
class ServletLocksEndpointTests extends LocksWebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.SERVLET;
	}

}
