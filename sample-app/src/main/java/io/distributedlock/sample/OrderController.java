package io.distributedlock.sample;

import java.time.Duration;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Orders over HTTP.
 */
@RestController
@RequestMapping("/orders/{id}")
class OrderController {

	private static final long LONGEST = 60_000;

	private final OrderService orders;

	private final StallingService stalling;

	private final PackingService packing;

	private final OrderRepository repository;

	OrderController(OrderService orders, StallingService stalling, PackingService packing, OrderRepository repository) {
		this.orders = orders;
		this.stalling = stalling;
		this.packing = packing;
		this.repository = repository;
	}

	@GetMapping
	Order get(@PathVariable long id) {
		return this.repository.get(id);
	}

	@PutMapping
	Order setStock(@PathVariable long id, @RequestParam int stock) {
		require(stock >= 0, "stock must not be negative, but is " + stock);
		return this.orders.setStock(id, stock);
	}

	@PostMapping("/reserve")
	Order reserve(@PathVariable long id) {
		return this.orders.reserve(id);
	}

	@PostMapping("/stall")
	Order stall(@PathVariable long id, @RequestParam(defaultValue = "6000") long ms) {
		return this.stalling.stall(id, duration(ms));
	}

	@PostMapping("/pack")
	Order pack(@PathVariable long id, @RequestParam(defaultValue = "20000") long ms) {
		return this.packing.pack(id, duration(ms));
	}

	private static Duration duration(long ms) {
		require(ms >= 0 && ms <= LONGEST, "ms must be between 0 and " + LONGEST + ", but is " + ms);
		return Duration.ofMillis(ms);
	}

	private static void require(boolean condition, String message) {
		if (!condition) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, message);
		}
	}

}
