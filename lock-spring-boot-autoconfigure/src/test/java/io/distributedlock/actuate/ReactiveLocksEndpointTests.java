package io.distributedlock.actuate;

import org.springframework.boot.WebApplicationType;

/**
 * The endpoint {@code locks} on WebFlux on Netty.
 */
class ReactiveLocksEndpointTests extends LocksWebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.REACTIVE;
	}

}
