package io.distributedlock.sample;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shows which instance ran each stock count.
 */
@RestController
class RunController {

	private final CountRunRepository runs;

	RunController(CountRunRepository runs) {
		this.runs = runs;
	}

	@GetMapping("/runs")
	List<CountRun> latest(@RequestParam(defaultValue = "20") int limit) {
		return this.runs.latest(Math.max(1, Math.min(limit, 1000)));
	}

}
