package io.distributedlock.sample;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.distributedlock.DistributedLock;

/**
 * Counts the stock. Every instance has the schedule, and one of them does the work: the
 * others find the lock busy and skip. The minimum hold keeps the lock busy for an
 * instance whose clock is a little late. After the counting instance was killed, no other
 * counts until the TTL has passed.
 */
@Component
public class StockCount {

	private static final Logger logger = LoggerFactory.getLogger(StockCount.class);

	private final CountRunRepository runs;

	private final Duration time;

	StockCount(CountRunRepository runs, @Value("${sample.count.time}") Duration time) {
		this.runs = runs;
		this.time = time;
	}

	/**
	 * Count once and record it.
	 */
	@Scheduled(cron = "${sample.count.cron}")
	@DistributedLock(name = "stock-count", ttl = "10s", minHold = "${sample.count.min-hold}")
	public void run() {
		long run = this.runs.start();
		Pause.of(this.time);
		long total = this.runs.end(run);
		logger.info("Stock count {}: {} in stock", run, total);
	}

}
