package io.distributedlock.sample.outage;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes the store away and brings it back over HTTP.
 */
@RestController
@ResponseStatus(HttpStatus.NO_CONTENT)
class StoreController {

	private final StoreSwitch store;

	StoreController(StoreSwitch store) {
		this.store = store;
	}

	@PostMapping("/store/away")
	void takeAway() {
		this.store.setAway(true);
	}

	@PostMapping("/store/back")
	void bringBack() {
		this.store.setAway(false);
	}

}
