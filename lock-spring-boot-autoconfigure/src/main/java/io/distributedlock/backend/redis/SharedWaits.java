package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * Sends the scripts of one connection that replicas have to acknowledge, with one wait
 * behind all that are sent together. While it waits, the server executes nothing else of
 * the connection: a wait behind each script would make each call wait for all before it.
 * So scripts gather here while a wait is under way.
 */
final class SharedWaits {

	private final GatheredWrites writes;

	// Both are guarded by the monitor. Scripts that the server did not know are sent
	// again, in full, before those that follow, which may have the same script.
	private final List<PendingScript> unknown = new ArrayList<>();

	private final List<PendingScript> waiting = new ArrayList<>();

	// Whether a wait is under way, or is about to be sent. Guarded by the monitor.
	private boolean underWay;

	SharedWaits(GatheredWrites writes) {
		this.writes = writes;
	}

	/**
	 * Send scripts, in their order.
	 * @param scripts the scripts, some of which ask for a wait behind them
	 */
	void send(List<PendingScript> scripts) {
		add(this.waiting, scripts);
	}

	private void add(List<PendingScript> queue, List<PendingScript> scripts) {
		synchronized (this) {
			queue.addAll(scripts);
			if (this.underWay) {
				return;
			}
			this.underWay = true;
		}
		sendNext();
	}

	/**
	 * Send all scripts that have gathered. The end of their wait calls this again.
	 */
	private void sendNext() {
		List<PendingScript> scripts;
		List<PendingScript> inFull;
		synchronized (this) {
			inFull = this.unknown.stream().filter((script) -> !script.call().isEnded()).toList();
			scripts = this.waiting.stream().filter((script) -> script.call().send()).toList();
			this.unknown.clear();
			this.waiting.clear();
			if (inFull.isEmpty() && scripts.isEmpty()) {
				this.underWay = false;
				return;
			}
		}
		List<PendingScript> all = new ArrayList<>(inFull);
		all.addAll(scripts);
		AcksCommand wait = waitFor(all);
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
		inFull.forEach((script) -> commands.add(command(script, true, wait)));
		scripts.forEach((script) -> commands.add(command(script, false, wait)));
		commands.add(wait);
		wait.whenComplete((number, missing) -> sendNext());
		try {
			this.writes.sendAtOnce(commands);
		}
		catch (RuntimeException ex) {
			all.forEach((script) -> script.failBy(ex));
			wait.cancel();
		}
	}

	/**
	 * Return a wait that suits all scripts.
	 */
	private static AcksCommand waitFor(List<PendingScript> scripts) {
		Set<StoreCall<?>> calls = new HashSet<>();
		int number = 0;
		long millis = 1;
		for (PendingScript script : scripts) {
			ScriptCall.Acks acks = script.script().acks();
			if (acks != null) {
				calls.add(script.call());
				number = Math.max(number, acks.number());
				millis = Math.max(millis, acks.timeout().toMillis());
			}
		}
		return new AcksCommand(number, millis, calls);
	}

	private ScriptCommand command(PendingScript script, boolean inFull, AcksCommand wait) {
		@Nullable AcksCommand own = (script.script().acks() != null) ? wait : null;
		return LettuceCommands.command(this.writes, script, inFull, own, (again) -> {
			add(this.unknown, List.of(again));
			// Its next wait is another one.
			wait.dropFor(again.call());
		});
	}

}
