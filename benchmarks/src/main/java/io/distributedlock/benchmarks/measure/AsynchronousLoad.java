package io.distributedlock.benchmarks.measure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

import io.distributedlock.benchmarks.contest.AsynchronousSide;

/**
 * Chains of calls that each take a lock of their own and give it back, again and again,
 * without a thread that waits. One operation is the pair of both.
 *
 * @param side what locks
 * @param inFlight the number of chains
 */
public record AsynchronousLoad(AsynchronousSide side, int inFlight) implements Load {

	@Override
	public double run(Duration duration, Histogram nanos) throws Exception {
		Recorder recorder = new Recorder(3);
		LongAdder pairs = new LongAdder();
		long start = System.nanoTime();
		CompletableFuture<?>[] chains = IntStream.range(0, this.inFlight)
			.mapToObj((i) -> new Chain(this.side, "key-" + i, start + duration.toNanos(), recorder, pairs))
			.map(Chain::start)
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(chains).get(duration.toSeconds() + 60, TimeUnit.SECONDS);
		nanos.add(recorder.getIntervalHistogram());
		return pairs.sum() * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - start);
	}

	private record Chain(AsynchronousSide side, String key, long end, Recorder recorder, LongAdder pairs,
			CompletableFuture<Void> done) {

		Chain(AsynchronousSide side, String key, long end, Recorder recorder, LongAdder pairs) {
			this(side, key, end, recorder, pairs, new CompletableFuture<>());
		}

		CompletableFuture<Void> start() {
			next();
			return this.done;
		}

		private void next() {
			long begin = System.nanoTime();
			if (begin - this.end >= 0) {
				this.done.complete(null);
				return;
			}
			this.side.acquireAsync(this.key).thenCompose((held) -> held.releaseAsync()).whenComplete((ok, fault) -> {
				if (fault != null) {
					this.done.completeExceptionally(fault);
					return;
				}
				this.recorder.recordValue(System.nanoTime() - begin);
				this.pairs.increment();
				next();
			});
		}

	}

}
