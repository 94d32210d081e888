package io.distributedlock.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Logs the commands to play with.
 */
@Component
@Order(2)
class WhatToTry implements ApplicationRunner {

	private static final Logger logger = LoggerFactory.getLogger(WhatToTry.class);

	private final Environment environment;

	WhatToTry(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void run(ApplicationArguments args) {
		String port = this.environment.getProperty("local.server.port", "8080");
		String address = this.environment.getProperty("server.address", "localhost") + ":" + port;
		logger
			.info("""
					Ready. Open http://{0} in a browser, or try:
					  curl -X POST {0}/orders/1/reserve             # takes one from the stock, under a lock
					  curl {0}/orders/1
					  curl -X POST '{0}/orders/1/stall?ms=6000' & sleep 1  # outlives its lease, which is 3 s ...
					  curl -X POST {0}/orders/1/reserve             # ... goes to the next holder: the stalled write is refused
					  curl {0}/runs                                 # which instance counted the stock when
					A second instance with --server.port=8081 shares stock and locks."""
				.replace("{0}", address));
	}

}
